FROM python:3.13-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
COPY requirements.lock requirements-build.lock ./
# No pip in /opt/venv, which is all that the image takes from here.
RUN python3 -m venv --without-pip /opt/venv \
 && pip install --require-hashes -r requirements-build.lock \
 && pip --python /opt/venv/bin/python install --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY exporter exporter
COPY deploy deploy
COPY grafana grafana
COPY prometheus prometheus
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /dist . \
 && pip --python /opt/venv/bin/python install --no-deps --no-index /dist/*.whl

FROM python:3.13-slim
RUN install -d -o 65532 -g 65532 /var/lib/sglang-exporter
COPY --from=build /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    STATE_DIRECTORY=/var/lib/sglang-exporter
USER 65532:65532
VOLUME /var/lib/sglang-exporter
EXPOSE 17461
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s CMD ["/opt/venv/bin/sglang-exporter", "healthcheck"]
ENTRYPOINT ["/opt/venv/bin/sglang-exporter"]
CMD ["serve"]

ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="sglang-exporter" \
      org.opencontainers.image.description="Watches SGLang through the files it already writes, for Prometheus" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED" \
      org.opencontainers.image.source="https://github.com/sglang-exporter/sglang-exporter" \
      org.opencontainers.image.url="https://github.com/sglang-exporter/sglang-exporter" \
      org.opencontainers.image.documentation="https://github.com/sglang-exporter/sglang-exporter#readme" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.vendor="The sglang-exporter authors" \
      org.opencontainers.image.base.name="python:3.13-slim"
