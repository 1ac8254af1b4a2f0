"""The Helm chart, rendered by helm: valid for Kubernetes, hardened, and patient with a drain."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.conftest import Run
from tests.deploy.places import BIN, CHART, DEPLOY, alerts, read_yaml, recorded, setting_names
from worker.configuration.settings import Settings
from worker.web.livekit_webhook import HOOK_PREFIX
from worker.web.operations import OPERATIONS
from worker.web.pages import page_routes

pytestmark = pytest.mark.timeout(2000)  # whoever comes first may have to build helm, on a busy machine

KUBERNETES = ("1.25", "1.34")
NEEDED = {
    "settings": {"LIVEKIT_URL": "wss://livekit.example.com", "LLM_WINDOW": 8192},
    "secrets": {"existing": "moim-secrets"},
    "migrate": {"existing": "moim-owner"},
}
EVERYTHING = {
    "settings": {"LIVEKIT_URL": "wss://livekit.example.com"},
    "secrets": {"values": {"DATABASE_URL": "postgresql://a:b@c/d", "LIVEKIT_API_KEY": "k"}},
    "migrate": {"adminUrl": "postgresql://o:b@c/d"},
    "worker": {"persistence": {"enabled": True, "storageClass": "fast"}, "autoscaling": {"enabled": True}},
    "textWorker": {"enabled": True},
    "monitoring": {"enabled": True, "labels": {"release": "prometheus"}, "runbooks": "https://runbooks.example.com/moim"},
    "image": {"pullSecrets": [{"name": "registry"}]},
    "budgets": "total_budget = 90000",
    "minutesTemplate": "# {{ title }}",
    "nodeSelector": {"pool": "moim"},
    "tolerations": [{"key": "moim", "operator": "Exists"}],
    "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "loud"}}}
    ]}},
    "ingress": {
        "enabled": True, "className": "nginx", "host": "moim.example.com", "tlsSecret": "moim-tls",
        "annotations": {"cert-manager.io/cluster-issuer": "letsencrypt"},
    },
}  # fmt: skip


class Chart:
    """The chart, rendered with values."""

    def __init__(self, helm: Run, folder: Path) -> None:
        self._helm, self._folder = helm, folder

    def text(self, values: dict[str, Any], *more: str) -> str:
        done = self.run(values, *more)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run(self, values: dict[str, Any], *more: str) -> subprocess.CompletedProcess[str]:
        path = self._folder / "values.json"
        path.write_text(json.dumps(values), encoding="utf-8")
        return self._helm("template", "moim", CHART, "--kube-version", "1.34.0", "--values", path, *more)

    def objects(self, values: dict[str, Any], *more: str) -> list[dict[str, Any]]:
        return [found for found in yaml.safe_load_all(self.text(values, *more)) if found]


@pytest.fixture
def chart(helm: Run, tmp_path: Path) -> Chart:
    return Chart(helm, tmp_path)


def one(objects: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    (found,) = (o for o in objects if o["kind"] == kind and o["metadata"]["name"] == name)
    return found


def pods(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [o["spec"]["template"]["spec"] for o in objects if "template" in o.get("spec", {})]


def test_the_pages_are_reached_through_an_ingress_with_tls(chart: Chart) -> None:
    objects = chart.objects(EVERYTHING)
    spec = one(objects, "Ingress", "moim")["spec"]
    (rule,) = spec["rules"]
    (service,) = {json.dumps(path["backend"]["service"]) for path in rule["http"]["paths"]}
    service = json.loads(service)
    assert (rule["host"], service["port"]) == ("moim.example.com", {"name": "http"})
    assert one(objects, "Service", service["name"])["spec"]["ports"][0]["name"] == "http"
    assert spec["tls"] == [{"hosts": ["moim.example.com"], "secretName": "moim-tls"}]
    assert not any(found["kind"] == "Ingress" for found in chart.objects(NEEDED))


def test_the_ingress_publishes_what_people_and_programs_call_and_no_probe(chart: Chart) -> None:
    (rule,) = one(chart.objects(EVERYTHING), "Ingress", "moim")["spec"]["rules"]
    paths = {path["path"]: path["pathType"] for path in rule["http"]["paths"]}

    def published(address: str) -> bool:
        return any(
            address == path or (kind == "Prefix" and address.startswith(f"{path}/"))
            for path, kind in paths.items()
        )

    ours = [route.path.replace("{name:.+}", "app.js") for route in page_routes()]
    ours += [f"{HOOK_PREFIX}/webhook", *(operation.path for operation in OPERATIONS), "/v1/openapi.json"]
    assert [address for address in ours if not published(address)] == []
    assert [address for address in ("/metrics", "/readyz", "/healthz", "/x") if published(address)] == []


def test_all_pods_go_where_they_are_told(chart: Chart) -> None:
    for pod in pods(chart.objects(EVERYTHING)):
        assert pod["affinity"] == EVERYTHING["affinity"]
        assert pod["nodeSelector"] == EVERYTHING["nodeSelector"]
        assert pod["tolerations"] == EVERYTHING["tolerations"]


@pytest.mark.parametrize(
    ("engine", "places"), [(None, "2"), ("whisper", "2"), ("openai", "8"), ("clova", "8"), ("none", "8")]
)
def test_a_pod_that_transcribes_by_itself_has_fewer_places(
    chart: Chart, engine: str | None, places: str
) -> None:
    chosen = {"STT_ENGINE": engine} if engine else {}
    values = {**NEEDED, "settings": {**NEEDED["settings"], **chosen}}
    assert one(chart.objects(values), "ConfigMap", "moim")["data"]["MOIM_MAX_MEETINGS"] == places


def test_who_is_woken_reads_on_at_the_address_that_was_set(chart: Chart) -> None:
    rules = one(chart.objects(EVERYTHING), "PrometheusRule", "moim")["spec"]["groups"]
    told = [
        rule["annotations"]["runbook_url"] for group in rules for rule in group["rules"] if "alert" in rule
    ]
    assert told
    assert all(url.startswith("https://runbooks.example.com/moim/Moim") for url in told)


@pytest.mark.parametrize(
    ("runbooks", "told"),
    [("", "monitoring.runbooks is not set: the address of your copy"), ("deploy/runbook", "runbooks")],
)
def test_alerts_never_link_to_a_relative_address(chart: Chart, runbooks: str, told: str) -> None:
    done = chart.run({**NEEDED, "monitoring": {"enabled": True, "runbooks": runbooks}})
    assert done.returncode != 0
    assert told in done.stderr


@pytest.mark.parametrize("values", [NEEDED, EVERYTHING], ids=["least", "everything"])
def test_it_is_valid_for_kubernetes(chart: Chart, helm: Run, values: dict[str, Any], tmp_path: Path) -> None:
    rendered = tmp_path / "rendered.yaml"
    rendered.write_text(chart.text(values), encoding="utf-8")
    linted = helm("lint", CHART, "--strict", "--values", tmp_path / "values.json")
    assert linted.returncode == 0, linted.stdout
    neat = subprocess.run(
        [BIN / "yamllint", "-c", DEPLOY / ".yamllint", rendered], capture_output=True, text=True, check=False
    )
    assert neat.returncode == 0, neat.stdout
    # The operator's own kinds (ServiceMonitor, PrometheusRule) have no schema in Kubernetes.
    known = [o for o in chart.objects(values) if "coreos.com" not in o["apiVersion"]]
    rendered.write_text(yaml.safe_dump_all(known), encoding="utf-8")
    for version in KUBERNETES:
        valid = subprocess.run(
            [BIN / "kubernetes-validate", "--strict", "-k", version, rendered],
            capture_output=True,
            text=True,
            check=False,
        )
        assert valid.returncode == 0, valid.stdout + valid.stderr
        assert valid.stdout.count(" passed for resource ") == len(known)


def test_an_image_can_be_pinned_to_its_bytes(chart: Chart) -> None:
    digest = f"sha256:{'0a' * 32}"
    found = pods(chart.objects({**NEEDED, "image": {"digest": digest}}))
    assert all(container["image"].endswith(f"@{digest}") for pod in found for container in pod["containers"])
    assert not any(
        "@" in container["image"] for pod in pods(chart.objects(NEEDED)) for container in pod["containers"]
    )


@pytest.mark.parametrize("values", [NEEDED, EVERYTHING], ids=["least", "everything"])
def test_no_pod_is_root_or_writes_into_its_image(chart: Chart, values: dict[str, Any]) -> None:
    found = pods(chart.objects(values))
    assert len(found) >= 3
    for pod in found:
        assert pod["securityContext"]["runAsNonRoot"]
        assert f"USER {pod['securityContext']['runAsUser']}:" in (DEPLOY / "Dockerfile").read_text("utf-8")
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            safe = container["securityContext"]
            assert safe["readOnlyRootFilesystem"]
            assert not safe["allowPrivilegeEscalation"]
            assert safe["capabilities"] == {"drop": ["ALL"]}
            assert container["resources"]["requests"]
            assert container["resources"]["limits"]["memory"]
            mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
            assert "/tmp" in mounted
            if container["args"][0] != "migrate":
                assert mounted - {"/etc/moim", "/etc/moim-minutes"} == {
                    "/tmp",
                    "/var/lib/moim",
                    "/var/cache/moim",
                }
                assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
                assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"


def test_a_pod_outlives_its_drain(chart: Chart) -> None:
    for seconds in (0, 3600):
        objects = chart.objects({**NEEDED, "worker": {"drainSeconds": seconds}})
        worker = one(objects, "Deployment", "moim-worker")
        grace_s = worker["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        told = one(objects, "ConfigMap", "moim")["data"]
        drain_s = Settings.from_env({"MOIM_DRAIN_SECONDS": told["MOIM_DRAIN_SECONDS"]}).process.drain_s
        assert drain_s == seconds
        assert grace_s >= drain_s + 60
        assert worker["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0, "successors come first"


def test_a_node_that_is_emptied_takes_one_pod_of_a_kind_at_a_time(chart: Chart) -> None:
    objects = chart.objects(EVERYTHING)
    budgets = [o["spec"] for o in objects if o["kind"] == "PodDisruptionBudget"]
    kinds = [o["spec"]["template"]["metadata"] for o in objects if o["kind"] in {"Deployment", "StatefulSet"}]
    assert len(kinds) == 3
    for pod in kinds:
        (own,) = (b for b in budgets if b["selector"]["matchLabels"].items() <= pod["labels"].items())
        assert own == {"maxUnavailable": 1, "selector": own["selector"]}
    assert len(budgets) == len(kinds)
    (evict,) = (
        pod["annotations"] for pod in kinds if pod["labels"]["app.kubernetes.io/component"] == "worker"
    )
    assert evict["cluster-autoscaler.kubernetes.io/safe-to-evict"] == "false", "it drains, it is never idle"
    down = one(objects, "HorizontalPodAutoscaler", "moim-worker")["spec"]["behavior"]["scaleDown"]
    assert down["policies"] == [{"type": "Pods", "value": 1, "periodSeconds": 300}]


def test_spools_can_outlive_their_pod(chart: Chart) -> None:
    assert one(chart.objects(NEEDED), "Deployment", "moim-worker")
    objects = chart.objects(EVERYTHING)
    worker = one(objects, "StatefulSet", "moim-worker")
    (claim,) = worker["spec"]["volumeClaimTemplates"]
    assert claim["metadata"]["name"] == "state"
    assert "state" not in {v["name"] for v in worker["spec"]["template"]["spec"]["volumes"]}
    target = one(objects, "HorizontalPodAutoscaler", "moim-worker")["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("StatefulSet", "moim-worker")
    assert "replicas" not in worker["spec"], "the autoscaler's business"


def test_it_scales_on_the_load_of_meetings_or_on_cpu(chart: Chart) -> None:
    def metric(name: str) -> dict[str, Any]:
        values = {**NEEDED, "worker": {"autoscaling": {"enabled": True, "metric": name}}}
        (found,) = one(chart.objects(values), "HorizontalPodAutoscaler", "moim-worker")["spec"]["metrics"]
        return found

    assert metric("load")["pods"] == {
        "metric": {"name": "moim_load"},
        "target": {"type": "AverageValue", "averageValue": "700m"},
    }
    assert metric("cpu")["resource"]["target"] == {"type": "Utilization", "averageUtilization": 70}


def test_variables_are_moims_and_the_owner_is_for_the_migration_alone(chart: Chart) -> None:
    objects = chart.objects(EVERYTHING)
    told = one(objects, "ConfigMap", "moim")["data"]
    assert set(told) <= setting_names()
    files = {"MOIM_BUDGETS_FILE", "MOIM_MINUTES_TEMPLATE"}  # a pod has them
    here = {name: value for name, value in told.items() if name not in files}
    assert Settings.from_env(here).process.http_port == 8080
    assert set(one(objects, "Secret", "moim")["stringData"]) <= setting_names()
    for pod in pods(objects):
        (container,) = pod["containers"]
        if container["args"][0] == "migrate":
            assert [variable["name"] for variable in container["env"]] == [
                "DATABASE_ADMIN_URL",
                "DATABASE_URL",
            ]
        else:
            assert "env" not in container
            assert {next(iter(source)) for source in container["envFrom"]} == {"configMapRef", "secretRef"}
    migrating = one(objects, "Job", "moim-migrate")
    assert migrating["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"


def test_budgets_are_a_file_that_the_pods_read(chart: Chart, tmp_path: Path) -> None:
    budgets = 'total_budget = 90000\n[producers]\nthread = "enhanced"\n'
    objects = chart.objects({**NEEDED, "budgets": budgets, "textWorker": {"enabled": True}})
    (config,) = (o for o in objects if "budgets.toml" in o.get("data", {}))
    path = tmp_path / "budgets.toml"
    path.write_text(config["data"]["budgets.toml"], encoding="utf-8")
    assert Settings.from_env({"MOIM_BUDGETS_FILE": str(path)}).budgets.total_budget == 90_000
    assert one(objects, "ConfigMap", "moim")["data"]["MOIM_BUDGETS_FILE"] == "/etc/moim/budgets.toml"
    reading = [pod for pod in pods(objects) if "envFrom" in pod["containers"][0]]
    assert len(reading) == 3
    for pod in reading:
        mounts = {mount["name"]: mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]}
        assert mounts["budgets"] == "/etc/moim"
        assert {"name": "budgets", "configMap": {"name": config["metadata"]["name"]}} in pod["volumes"]
    assert "budgets" not in chart.text(NEEDED)


def test_a_form_of_minutes_is_a_file_that_the_pods_read(chart: Chart, tmp_path: Path) -> None:
    form = "# {{ title }}\n\n{% for row in decisions %}\n- {{ row.text }}\n{% endfor %}\n"
    objects = chart.objects({**NEEDED, "minutesTemplate": form, "textWorker": {"enabled": True}})
    (config,) = (o for o in objects if "minutes.md.j2" in o.get("data", {}))
    assert config["data"]["minutes.md.j2"] == form
    path = one(objects, "ConfigMap", "moim")["data"]["MOIM_MINUTES_TEMPLATE"]
    for pod in (pod for pod in pods(objects) if "envFrom" in pod["containers"][0]):
        mounts = {mount["name"]: mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]}
        assert f"{mounts['minutes']}/minutes.md.j2" == path
        assert {"name": "minutes", "configMap": {"name": config["metadata"]["name"]}} in pod["volumes"]
    assert "minutes.md" not in chart.text(NEEDED)


def test_secrets_of_ones_own_are_used_and_none_is_made(chart: Chart) -> None:
    objects = chart.objects(NEEDED)
    assert not [o for o in objects if o["kind"] == "Secret"]
    (worker,) = one(objects, "Deployment", "moim-worker")["spec"]["template"]["spec"]["containers"]
    assert {"secretRef": {"name": "moim-secrets"}} in worker["envFrom"]


def test_an_upgrade_migrates_only_what_old_pods_can_live_with(chart: Chart) -> None:
    def stage(*more: str) -> str:
        job = one(chart.objects(NEEDED, *more), "Job", "moim-migrate")
        return str(job["spec"]["template"]["spec"]["containers"][0]["args"][-1])

    assert stage() == "all"
    assert stage("--is-upgrade") == "before"


def test_prometheus_knows_the_pods_by_the_rules_names(chart: Chart) -> None:
    objects = chart.objects(EVERYTHING)
    services = [o for o in objects if o["kind"] == "Service"]
    scraped = {
        job["job_name"] for job in read_yaml(DEPLOY / "prometheus" / "prometheus.yml")["scrape_configs"]
    }
    monitor = one(objects, "ServiceMonitor", "moim")
    assert {service["metadata"]["labels"][monitor["spec"]["jobLabel"]] for service in services} == scraped
    rules = [
        rule for group in one(objects, "PrometheusRule", "moim")["spec"]["groups"] for rule in group["rules"]
    ]
    assert [rule["alert"] for rule in rules if "alert" in rule] == list(alerts())
    assert {rule["record"]: rule["expr"] for rule in rules if "record" in rule} == recorded()
    board = one(objects, "ConfigMap", "moim-dashboard")["data"]["moim.json"]
    assert json.loads(board) == read_yaml(DEPLOY / "grafana" / "moim.json")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({**NEEDED, "settings": {}}, "settings.LIVEKIT_URL is not set"),
        ({**NEEDED, "secrets": {}}, "set secrets.existing"),
        ({**NEEDED, "migrate": {}}, "set migrate.existing"),
        ({**NEEDED, "image": {"digest": "latest"}}, "digest"),
        ({**NEEDED, "worker": {"maxMeetings": 0}}, "maxMeetings"),
        ({**NEEDED, "worker": {"replica": 3}}, "replica"),
        ({**NEEDED, "settings": {"livekit_url": "x"}}, "livekit_url"),
        ({**NEEDED, "settings": {**NEEDED["settings"], "MOIM_DRAIN_SECONDS": 9}}, "settings"),
    ],
)
def test_wrong_values_are_told(chart: Chart, values: dict[str, Any], said: str) -> None:
    done = chart.run(values)
    assert done.returncode != 0
    assert said in done.stderr
