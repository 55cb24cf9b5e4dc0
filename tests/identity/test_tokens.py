"""What a token proves: the 60 shapes of tests/hostile, and the rules one by one."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, Final

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.errors import Bug, ErrorCode
from gameserver.identity.admission import RegisteredAgent, admit_agent
from gameserver.identity.credentials import UserToken, user_credential
from gameserver.identity.issue import issue_agent_token, issue_hosted_token, issue_user_token
from gameserver.identity.keys import KeyRing, KeyUse, SigningKey, new_key
from gameserver.identity.refusals import TokenReason, TokenRefused
from gameserver.identity.tokens import USER_AUDIENCE, TokenRules, verify_agent_token, verify_user_token
from gameserver.identity.who import AgentIdentity, UserIdentity
from policy.ids import AgentId, AgentVersionId, UserId
from tests.hostile.tokens import Forge, HostileToken, hostile_tokens
from tests.identity.people import AGENT, KEYS, NOW_S, OTHER_AGENT, OTHER_OWNER, OWNER, RING, VERSION

RULES: Final = TokenRules()
RETIRED: Final = new_key(KeyUse.AGENT)
SELF_HOSTER: Final = new_key(KeyUse.AGENT)
WITH_SELF_HOSTER: Final = KeyRing([*RING, SELF_HOSTER.verifying()])
REGISTER: Final = {
    AGENT: RegisteredAgent(AGENT, OWNER, True),
    OTHER_AGENT: RegisteredAgent(OTHER_AGENT, OTHER_OWNER, True),
}
SHAPES: Final = hostile_tokens()


def forge(shape: HostileToken) -> tuple[Forge, HostileToken]:
    """`agent_key` is the hosting key where the token says hosted; such a token has a model (README.md)."""
    hosted = shape.claims.get("hosted") is True
    agent_key = KEYS[KeyUse.HOSTING] if hosted else KEYS[KeyUse.AGENT]
    named = SELF_HOSTER if shape.key == "agent_key_of_self_hoster" else agent_key
    claims = {**shape.claims, "model": "house"} if hosted else shape.claims
    keys = {
        "agent_key": agent_key.private,
        "agent_key_of_self_hoster": SELF_HOSTER.private,
        "retired_agent_key": RETIRED.private,
        "user_key": KEYS[KeyUse.USER].private,
    }
    values = {
        "AGENT_KID": named.key_id,
        "RETIRED_KID": RETIRED.key_id,
        "USER_KID": KEYS[KeyUse.USER].key_id,
        "USER_ALG": "EdDSA",
        "AGENT": AGENT,
        "OTHER_AGENT": OTHER_AGENT,
        "OWNER": OWNER,
        "OTHER_OWNER": OTHER_OWNER,
        "USER": "ursula",
        "OTHER_USER": "umberto",
        "VERSION": VERSION,
        "ISS": "railbird",
        "USER_AUD": "railbird-user",
    }
    numbers = itertools.count()
    made = Forge(keys, values, NOW_S, lambda: f"jti-{next(numbers)}")
    return made, HostileToken(**{**fields(shape), "claims": claims})


def fields(shape: HostileToken) -> dict[str, Any]:
    return {name: getattr(shape, name) for name in HostileToken.__slots__}


def agent(token: str, keys: KeyRing = RING, now_s: float = NOW_S) -> AgentIdentity:
    """As `enter` does it: the signature and the claims, then the register."""
    identity = verify_agent_token(token, keys=keys, rules=RULES, now_s=now_s)
    registered = REGISTER.get(identity.agent_id)
    if registered is not None and identity.version_id != VERSION:
        registered = RegisteredAgent(registered.agent_id, registered.owner, False)
    return admit_agent(identity, registered)


def user(token: str, keys: KeyRing = RING, now_s: float = NOW_S) -> UserIdentity:
    return verify_user_token(token, keys=keys, rules=RULES, now_s=now_s)


def shown(token: str, place: str, shape: HostileToken) -> AgentIdentity | UserIdentity:
    """Show the token where the shape says."""
    if place == "enter":
        return agent(token, WITH_SELF_HOSTER)
    header = f"Bearer {token}"
    if "header_value_joined_twice" in shape.then:
        header = f"{header}, {header}"
    credential = user_credential(
        authorization=[header] if "bearer" in place else [],
        tokens=[token] if "query" in place else [],
        tickets=[],
        cookie=None,
    )
    assert isinstance(credential, UserToken)
    return user(credential.token, WITH_SELF_HOSTER)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.id)
def test_a_hostile_token_gets_its_answer(shape: HostileToken) -> None:
    """Each of the 60 shapes, wherever it may be shown; what is refused is `bad_token` and says no more."""
    made, shape = forge(shape)
    token = made.build(shape)
    for place in shape.present:
        try:
            identity = shown(token, place, shape)
        except TokenRefused as refused:
            assert (refused.code, refused.why, str(refused)) == (ErrorCode.BAD_TOKEN, "", "bad_token")
            assert refused.__cause__ is None
            assert shape.expect == "refused" or shape.also_allowed == "refused", shape.why
        else:
            assert shape.expect == "accepted", shape.why
            if isinstance(identity, AgentIdentity):
                assert identity.agent_id == AGENT
                assert identity.hosted is (shape.effect != "hosted=false")
            else:
                assert identity.user_id == "ursula"


def test_all_sixty_shapes_are_here() -> None:
    """The file is whole."""
    assert len(SHAPES) == 60


def token_for_agent(life_s: int = 600, **changed: Any) -> str:
    given_: dict[str, Any] = {
        "agent_id": AGENT,
        "owner": OWNER,
        "version_id": VERSION,
        "token_id": "j1",
        "now_s": NOW_S,
    } | changed
    return issue_agent_token(KEYS[KeyUse.AGENT], life_s=life_s, **given_)


def signed(claims: dict[str, Any], key: SigningKey = KEYS[KeyUse.AGENT], **headers: Any) -> str:
    whole = {
        "sub": AGENT,
        "owner": OWNER,
        "ver": VERSION,
        "aud": "railbird-agent",
        "iss": "railbird",
        "exp": NOW_S + 60,
    } | claims
    kept = {name: value for name, value in whole.items() if value is not None}
    return jwt.encode(kept, key.private, algorithm="EdDSA", headers={"kid": key.key_id} | headers)


def reason(token: str, keys: KeyRing = RING, now_s: float = NOW_S) -> TokenReason:
    with pytest.raises(TokenRefused) as refused:
        agent(token, keys, now_s)
    return refused.value.reason


def test_what_is_issued_is_accepted() -> None:
    """The three kinds of token, and what each proves."""
    assert agent(token_for_agent()) == AgentIdentity(
        AGENT, OWNER, VERSION, False, None, (NOW_S + 630) * 1_000, "j1", NOW_S * 1_000
    )
    hosted = issue_hosted_token(
        KEYS[KeyUse.HOSTING],
        agent_id=AGENT,
        owner=OWNER,
        version_id=VERSION,
        model="house",
        token_id="j2",
        now_s=NOW_S,
        life_s=300,
    )
    assert agent(hosted) == AgentIdentity(
        AGENT, OWNER, VERSION, True, "house", (NOW_S + 330) * 1_000, "j2", NOW_S * 1_000
    )
    person = issue_user_token(KEYS[KeyUse.USER], user_id=UserId("auth0|5f"), token_id="j3", now_s=NOW_S, life_s=60)
    assert user(person) == UserIdentity(UserId("auth0|5f"), (NOW_S + 90) * 1_000, "j3")


def test_a_key_signs_for_its_own_use_only() -> None:
    """Neither the agents' nor the users' key can say hosted, whoever asks."""
    common: dict[str, Any] = {"agent_id": AGENT, "owner": OWNER, "version_id": VERSION}
    times: dict[str, Any] = {"token_id": "j", "now_s": NOW_S, "life_s": 60}
    for use in (KeyUse.AGENT, KeyUse.USER):
        with pytest.raises(Bug):
            issue_hosted_token(KEYS[use], model="house", **common, **times)
    for use in (KeyUse.HOSTING, KeyUse.USER):
        with pytest.raises(Bug):
            issue_agent_token(KEYS[use], **common, **times)
    for use in (KeyUse.HOSTING, KeyUse.AGENT):
        with pytest.raises(Bug):
            issue_user_token(KEYS[use], user_id=OWNER, **times)


@pytest.mark.parametrize(
    ("token", "why"),
    [
        (signed({"hosted": True, "model": "house"}), TokenReason.NOT_HOSTED_BY_THIS_KEY),
        (signed({"hosted": True, "model": "house"}, KEYS[KeyUse.USER]), TokenReason.UNKNOWN_KEY),
        (signed({}, KEYS[KeyUse.HOSTING]), TokenReason.NOT_HOSTED_BY_THIS_KEY),
        (signed({"hosted": True}, KEYS[KeyUse.HOSTING]), TokenReason.BAD_CLAIMS),
        (signed({"hosted": True, "model": ""}, KEYS[KeyUse.HOSTING]), TokenReason.BAD_CLAIMS),
        (signed({"hosted": True, "model": 7}, KEYS[KeyUse.HOSTING]), TokenReason.BAD_CLAIMS),
        (
            signed({"hosted": True, "model": "house", "exp": NOW_S + 3_600}, KEYS[KeyUse.HOSTING]),
            TokenReason.LIVES_TOO_LONG,
        ),
        (signed({"model": "house"}), TokenReason.BAD_CLAIMS),
        (signed({"hosted": 1}), TokenReason.BAD_CLAIMS),
        (signed({"iss": "https://evil.example"}), TokenReason.WRONG_ISSUER),
        (signed({"iss": None}), TokenReason.WRONG_ISSUER),
        (signed({"aud": "railbird-user"}), TokenReason.WRONG_AUDIENCE),
        (signed({"aud": None}), TokenReason.WRONG_AUDIENCE),
        (signed({"aud": ["railbird-agent", 7]}), TokenReason.WRONG_AUDIENCE),
        (signed({"aud": ["railbird-agent"] * 9}), TokenReason.WRONG_AUDIENCE),
        (signed({"exp": None}), TokenReason.BAD_CLAIMS),
        (signed({"exp": -1}), TokenReason.BAD_CLAIMS),
        (signed({"sub": None}), TokenReason.BAD_CLAIMS),
        (signed({"sub": "a:b"}), TokenReason.BAD_CLAIMS),
        (signed({"sub": "../x"}), TokenReason.BAD_CLAIMS),
        (signed({"sub": "a" * 65}), TokenReason.BAD_CLAIMS),
        (signed({"owner": ""}), TokenReason.BAD_CLAIMS),
        (signed({"owner": [OWNER]}), TokenReason.BAD_CLAIMS),
        (signed({"ver": None}), TokenReason.BAD_CLAIMS),
        (signed({"jti": 7}), TokenReason.BAD_CLAIMS),
        (signed({"jti": "a\nb"}), TokenReason.BAD_CLAIMS),
        (signed({"sub": str(OTHER_AGENT)}), TokenReason.NOT_REGISTERED),
        (signed({"sub": "nobody"}), TokenReason.NOT_REGISTERED),
        (signed({"ver": "river-rat-v9"}), TokenReason.NOT_REGISTERED),
        (signed({}, typ="JWE"), TokenReason.BAD_HEADER),
        (signed({}, jku="http://evil.example/"), TokenReason.BAD_HEADER),
        (signed({}, crit=["exp"]), TokenReason.BAD_HEADER),
        (signed({}, kid=""), TokenReason.UNKNOWN_KEY),
        (signed({}, new_key(KeyUse.AGENT)), TokenReason.UNKNOWN_KEY),
        (signed({}, new_key(KeyUse.AGENT), kid=KEYS[KeyUse.AGENT].key_id), TokenReason.BAD_SIGNATURE),
    ],
)
def test_each_rule_refuses_for_its_own_reason(token: str, why: TokenReason) -> None:
    """A counter of reasons tells an operator what goes wrong, though a sender does not learn it."""
    assert reason(token) is why


def test_the_leeway_is_one_setting_for_both_ends() -> None:
    """A clock may be off by the leeway and no more, and what a token opens ends with the leeway."""
    token = token_for_agent(life_s=60)
    assert agent(token, now_s=NOW_S - 30).expires_at_ms == (NOW_S + 90) * 1_000
    assert agent(token, now_s=NOW_S + 89).expires_at_ms == (NOW_S + 90) * 1_000
    assert reason(token, now_s=NOW_S - 31) is TokenReason.NOT_YET_VALID
    assert reason(token, now_s=NOW_S + 90) is TokenReason.EXPIRED


def test_only_a_hosted_agent_has_a_model() -> None:
    """The two come together or not at all."""
    assert agent(signed({"hosted": True, "model": "house"}, KEYS[KeyUse.HOSTING])).model == "house"
    assert agent(signed({})).model is None
    assert reason(signed({"hosted": False, "model": "house"})) is TokenReason.BAD_CLAIMS


def test_the_header_picks_a_key_and_nothing_else() -> None:
    """A key name is looked up as it is; no file, address or query can come of it."""
    for kid in ("../../../../etc/passwd", "http://127.0.0.1:9/", "' OR 1=1 --", "k" * 128, "\u00fc"):
        assert reason(signed({}, kid=kid)) is TokenReason.UNKNOWN_KEY


def test_every_refusal_looks_the_same_outside() -> None:
    """Code, words and string are equal for all reasons, and nothing of the token is in it."""
    tokens = ["", "a.b", "x" * 9_000, signed({"sub": "MARKER"}), signed({"iss": "MARKER"}), signed({}, kid="MARKER")]
    seen = set()
    for token in tokens:
        with pytest.raises(TokenRefused) as refused:
            agent(token)
        seen.add((refused.value.code, refused.value.why, str(refused.value), repr(refused.value)))
    assert len(seen) == 1
    assert "MARKER" not in str(seen)


def test_a_rotated_key_verifies_until_it_is_taken_out() -> None:
    """Old and new overlap, and a retired key is as unknown as a stranger's."""
    old, new = KEYS[KeyUse.AGENT], new_key(KeyUse.AGENT)
    both, later = KeyRing([old.verifying(), new.verifying()]), KeyRing([new.verifying()])
    assert agent(signed({}, old), both) == agent(signed({}, new), both)
    assert agent(signed({}, new), later).agent_id == AGENT
    assert reason(signed({}, old), later) is TokenReason.UNKNOWN_KEY


WORDS: Final = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True)


@given(WORDS, WORDS, WORDS, st.integers(1, 90 * 86_400))
def test_what_we_accept_the_library_accepts(agent_id: str, owner: str, version: str, life_s: int) -> None:
    """Our reading of a good token and PyJWT's own are the same."""
    key = KEYS[KeyUse.AGENT]
    token = issue_agent_token(
        key,
        agent_id=AgentId(agent_id),
        owner=UserId(owner),
        version_id=AgentVersionId(version),
        token_id="j",
        now_s=NOW_S,
        life_s=life_s,
    )
    ours = verify_agent_token(token, keys=RING, rules=RULES, now_s=NOW_S)
    theirs = jwt.decode(
        token,
        key.private.public_key(),
        algorithms=["EdDSA"],
        audience="railbird-agent",
        issuer="railbird",
        options={"verify_exp": False, "verify_iat": False},
    )
    assert (ours.agent_id, ours.owner, ours.version_id) == (theirs["sub"], theirs["owner"], theirs["ver"])


@given(st.text(max_size=100) | st.text(alphabet='ab.=-_{}"', max_size=100))
def test_any_text_is_refused(token: str) -> None:
    """Nothing but a refusal comes of a text that is no token."""
    reason(token)


def test_another_issuers_key_has_an_audience_of_its_own() -> None:
    """Its tokens are for that audience, and ours stay for ours: each audience goes with the key."""
    theirs = replace(KEYS[KeyUse.USER].verifying(), audience="their-site")
    keys = KeyRing([theirs])
    for audience, good in (("their-site", True), (USER_AUDIENCE, False)):
        token = issue_user_token(
            KEYS[KeyUse.USER], user_id=UserId("u"), token_id="j", now_s=NOW_S, life_s=60, audience=audience
        )
        if good:
            assert verify_user_token(token, keys=keys, rules=TokenRules(), now_s=NOW_S).user_id == "u"
        else:
            with pytest.raises(TokenRefused):
                verify_user_token(token, keys=keys, rules=TokenRules(), now_s=NOW_S)
