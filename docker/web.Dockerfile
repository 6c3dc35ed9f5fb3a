# The studio as static files, behind nginx: docs/web.md.
#
#   docker build -f docker/web.Dockerfile -t dlgo-web . && docker run -p 8080:80 dlgo-web
FROM python:3.11-slim AS export

WORKDIR /opt/dlgo
COPY setup.py pyproject.toml README.md ./
COPY dlgo dlgo
COPY engines engines
COPY experiments experiments
COPY reports reports
RUN pip install --no-cache-dir --editable '.[web]'
RUN dlgo export web /site

FROM nginx:alpine
COPY docker/web.conf /etc/nginx/conf.d/web.conf
COPY --from=export /site /usr/share/nginx/html
