"""What schemathesis is told of the API beside its OpenAPI document."""

import json
import os
import re
import zlib
from collections import defaultdict, deque

import schemathesis
from hypothesis import strategies as st

SANDBOX_KEY = os.environ["FUZZ_KEY"]
CLOCK_KEY = os.environ["FUZZ_CLOCK_KEY"]


def check_digit(digits: str, weights: range) -> str:
    rest = sum(int(digit) * weight for digit, weight in zip(digits, weights)) % 11
    return str(0 if rest < 2 else 11 - rest)


def cpf(base: int) -> str:
    digits = f"{base:09d}"
    digits += check_digit(digits, range(10, 1, -1))
    return digits + check_digit(digits, range(11, 1, -1))


def punctuated(digits: str) -> str:
    return f"{digits[:3]}.{digits[3:6]}.{digits[6:9]}-{digits[9:]}"


# The tax ids of one digit repeated are nobody's.
cpfs = st.integers(1, 999_999_998).filter(lambda base: len(set(f"{base:09d}")) > 1).map(cpf)

# A format says more than a pattern can: check digits, the cards of the sandbox, addresses that lead nowhere.
schemathesis.openapi.format("tax-id", cpfs | cpfs.map(punctuated) | st.just("12.ABC.345/01DE-35"))
schemathesis.openapi.format("phone", st.integers(10_000_000, 99_999_999).map(lambda number: f"+55119{number}"))
octets = st.integers(1, 254).map(str)
schemathesis.openapi.format(
    "network", st.sampled_from(["127.0.0.1", "203.0.113.0/24", "2001:db8::/32"]) | octets.map(lambda octet: f"10.{octet}.0.0/16")
)
schemathesis.openapi.format("card-cvc", st.integers(0, 999).map(lambda number: f"{number:03d}"))
schemathesis.openapi.format(
    "card-number",
    st.sampled_from(["4242 4242 4242 4242", "5555555555554444", "4000000000000002", "4000-0000-0000-9995"]),
)
addresses = st.from_regex(r"https?://[a-z][a-z0-9]{0,20}\.example(:[1-9][0-9]{0,3})?(/[a-z0-9]{1,20})?", fullmatch=True)
schemathesis.openapi.format("uri", addresses)
schemathesis.openapi.format("uri-template", addresses | addresses.map(lambda address: address + "?id={CHECKOUT_SESSION_ID}"))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Where two optional fields exclude each other, schemathesis 4.32 makes no request of its coverage phase."""
    del raw_schema["components"]["schemas"]["CheckoutSessionCreate"]["not"]


ID = re.compile(r"[a-z]+_[0-9a-z]{26}")

# The key that asks is never one that a request names: revoked, it would ask for nothing more.
OWN_KEY = re.compile(r'"id":"key_[0-9a-z]{26}","object":"api_key","name":"default"')

# The newest ids of objects that the service answered, by prefix, and all that it ever answered.
newest = defaultdict(lambda: deque(maxlen=20))
answered = set()


def with_living_ids(value):
    """The same value, most ids that were drawn replaced by such as the service answered: requests reach what exists."""
    if isinstance(value, dict):
        return {name: with_living_ids(part) for name, part in value.items()}
    if isinstance(value, list):
        return [with_living_ids(part) for part in value]
    if not isinstance(value, str) or not ID.fullmatch(value) or value in answered:
        return value
    pool = newest[value.partition("_")[0]]
    drawn = zlib.crc32(value.encode())
    return value if not pool or drawn % 8 == 0 else pool[drawn % len(pool)]


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code < 300:
        for id in ID.findall(OWN_KEY.sub("", response.text)):
            if id not in answered:
                answered.add(id)
                newest[id.partition("_")[0]].append(id)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Lets no request wait, and moves the clock of another account, since a sandbox on its way refuses whatever writes."""
    for part in ("path_parameters", "query", "body"):
        drawn = getattr(case, part)
        living = with_living_ids(drawn)
        # What is set anew is judged anew, and no body would count as a wrong one.
        if living != drawn:
            setattr(case, part, living)
    if case.path == "/api/v1/event_feed" and isinstance(case.query, dict):
        wait = case.query.get("wait")
        if isinstance(wait, (int, str)) and re.fullmatch("[1-9]|1[0-9]|20", str(wait)):
            case.query["wait"] = 0
    if case.path.startswith("/api/v1/test_clock"):
        for headers in (case.headers, kwargs.get("headers")):
            if headers is not None and headers.get("Authorization") == f"ApiKey {SANDBOX_KEY}":
                headers["Authorization"] = f"ApiKey {CLOCK_KEY}"


# Rules that JSON Schema has no words for, by code and by what the message says. A request that breaks one of them is valid by the
# document and refused with 400.
UNSAYABLE = [
    # Which objects there are, and that two parameters of a query exclude each other.
    ("CURSOR_INVALID", r"names no (object|event)|is none of this feed|came together; send one of them"),
    ("PARAMETER_INVALID", r"^since must be absent where there is a cursor"),
    ("PARAMETER_INVALID", r"^session\.customer must be absent when customer_id is sent"),
    # Check digits, numbering plans and what a URL may be, which formats stand for; how well a color can be read on.
    ("PARAMETER_INVALID", r"^account\.color must be a color on which white text has a contrast of at least"),
    ("PARAMETER_INVALID", r" is not a (CPF|CNPJ): | must be a CPF "),
    ("PARAMETER_INVALID", r" must be a phone number |phone is (not a Brazilian number with area code|no number of its country)"),
    ("PARAMETER_INVALID", r"url must (be a URL|begin with https:// or http:// and a host|not carry a user name|have a port|have at most 2048)"),
    # What shows nothing, what turns the text around it, the numbers of cards, and domains that no punycode stands for.
    ("PARAMETER_INVALID", r" must not (be empty|hold the number of a card|contain characters that change the direction)"),
    ("PARAMETER_INVALID", r" must have at least \d+ characters| must be an e-mail address"),
    ("PARAMETER_INVALID", r"card\.number (is not the number of a card|must have (at least )?\d+ )|card\.cvc must have \d digits on a card"),
    ("PARAMETER_INVALID", r"networks\[\d+\] (is no network such as|has bits beyond its mask)"),
    # What depends on the instant of the request.
    ("PARAMETER_INVALID", r"^api_key\.expires_at must lie after now \(\d+\) and at most"),
    ("PARAMETER_INVALID", r"^since must be before now and at most 30 days back"),
    ("PARAMETER_INVALID", r"due_at must lie between now \(\d+\) and"),
    ("PARAMETER_INVALID", r"^test_clock\.to must lie after now \(\d+\) and at most"),
    # What the mode of a session allows in the items of another field.
    ("PARAMETER_INVALID", r"^session\.discounts\[\d+\]\.cycles must be absent in mode payment"),
    # How a number was written, how long JSON is and how deep.
    ("PARAMETER_INVALID", r"\.metadata must (be at most 8192 bytes as JSON|have at most 32 levels)"),
    ("PARAMETER_INVALID", r"(?s)\.metadata.* must (be a number that a double holds in the same value|have another name)"),
]


@schemathesis.check
def well_formed(context, response, case):
    """No answer holds half of a character: strict parsers refuse it."""
    if "json" not in str(response.headers.get("content-type")):
        return
    try:
        json.dumps(json.loads(response.content), ensure_ascii=False).encode()
    except UnicodeError as error:
        raise AssertionError(f"half of a character: {error}") from error


def is_unsayable(violation: dict) -> bool:
    return any(
        violation["code"] == code and re.search(message, violation["message"]) for code, message in UNSAYABLE
    )


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Keeps each failure but the refusal of a request by a rule that the document cannot tell."""
    if type(failure).__name__ != "RejectedPositiveData":
        return True
    error = json.loads(response.content)["error"]
    return not all(is_unsayable(violation) for violation in error.get("errors", [error]))
