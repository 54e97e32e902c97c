-- When each step of the work in the background was done last, by whichever process, so that it can be asked for.
CREATE TABLE work_steps (
    host text NOT NULL,
    process integer NOT NULL,
    step text NOT NULL,
    done_at timestamptz NOT NULL,
    PRIMARY KEY (host, process, step)
);
