"""Our readable files as the auditor sees them: examples of glue."""
