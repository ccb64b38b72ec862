import pytest

from gateway.handler import Gateway
from gateway.plans import PLANS, plan_of


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def gateway(clock):
    return Gateway(lambda path: f"content of {path}", {"acme": "standard", "late-payer": "suspended"}, clock)


def test_a_request_reaches_the_service(gateway):
    response = gateway.handle("nordwind", "/rates")
    assert (response.status, response.body) == (200, "content of /rates")


def test_the_answer_says_what_is_left(gateway):
    left = [gateway.handle("nordwind", "/").headers["X-RateLimit-Remaining"] for _ in range(3)]
    assert left == ["9", "8", "7"]


def test_clients_do_not_share_a_window(gateway):
    for _ in range(8):
        assert gateway.handle("nordwind", "/").status == 200
    assert gateway.handle("initech", "/").headers["X-RateLimit-Remaining"] == "9"


def test_many_requests_over_the_limit_are_refused(gateway):
    statuses = [gateway.handle("nordwind", "/").status for _ in range(30)]
    assert statuses[:10] == [200] * 10
    assert statuses[-15:] == [429] * 15


def test_a_refused_client_is_told_when_to_come_back(gateway, clock):
    for _ in range(15):
        gateway.handle("nordwind", "/")
    clock.now += 20
    response = gateway.handle("nordwind", "/")
    assert (response.status, response.headers["Retry-After"]) == (429, "40")
    clock.now += 40
    assert gateway.handle("nordwind", "/").status == 200


def test_who_pays_nothing_is_on_the_free_plan():
    assert plan_of("acme", {"acme": "standard"}) is PLANS["standard"]
    assert plan_of("somebody", {}) is PLANS["free"]
