"""Programs written for other packages, run here."""
