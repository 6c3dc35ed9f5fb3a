"""The studio: play, watch and understand games in the browser (`dlgo web`)."""
