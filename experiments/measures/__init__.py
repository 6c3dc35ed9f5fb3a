"""How far an engine is from perfect play, in games whose positions have exact values."""
