"""Ways down from one dashboard to another: time and choices go along."""

_KEPT = "${__url_time_range}&${datasource:queryparam}&${job:queryparam}"

TO_JOB = f"/d/sglang-job?{_KEPT}&${{instance:queryparam}}"
TO_SERVER_OF_ROW = (
    f"/d/sglang-server?{_KEPT}&var-instance=${{__data.fields.Instance}}&var-server=${{__data.fields.Server}}"
)
TO_EXPORTER_OF_ROW = f"/d/sglang-exporter?{_KEPT}&var-instance=${{__data.fields.Instance}}"
TO_RUNS_OF_ROW = f"/d/sglang-before-after?{_KEPT}&${{instance:queryparam}}&var-server=${{__data.fields.Server}}"
