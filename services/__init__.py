"""Use cases: open and play matches, read them as a viewer. Imports the domain only."""
