"""How players come together: seats, invitations, quick match, rematches, branches."""
