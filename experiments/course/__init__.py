"""The course as a site: pages, notebooks with their outputs, and the sources that they mention."""
