"""What Schemathesis needs to know about Bailiwick: who calls, and what the OpenAPI document cannot say."""

import atexit
import base64
import itertools
import json
import os
import re
from datetime import datetime, timedelta, timezone

import schemathesis

TENANT = os.environ["BAILIWICK_TENANT"]
TOKENS = {
    "session": os.environ["BAILIWICK_SESSION"],
    "botKey": os.environ["BAILIWICK_KEY"],
    "worker": os.environ["BAILIWICK_WORKER"],
}
# These end the session of their caller, so each has a session of its own. After the first call they
# answer 401.
ENDS_SESSION = {"Account_Logout", "Sessions_Revoke", "Sessions_RevokeAll", "Account_ChangePassword", "Account_ChangeEmail"}


# Without refresh_interval=None the credential of the first operation would be cached and sent to all the others.
@schemathesis.auth(refresh_interval=None)
class Credentials:
    def get(self, case, context):
        operation = case.operation.definition.raw
        if operation["operationId"] in ENDS_SESSION:
            return os.environ["BAILIWICK_OTHER_SESSION"]
        schemes = [name for one in operation["security"] for name in one]
        # The platform's key has all permissions that a key can have.
        return next((TOKENS[name] for name in ("botKey", "session", "worker") if name in schemes), None)

    def set(self, case, data, context):
        if data is not None:
            case.headers["Authorization"] = f"Bearer {data}"


def without_read_only(value):
    if isinstance(value, dict):
        return {key: without_read_only(inner) for key, inner in value.items() if key != "readOnly"}
    return [without_read_only(inner) for inner in value] if isinstance(value, list) else value


# Requests may contain read-only fields, which are ignored, so that a client can send back a record.
# Schemathesis expects an error.
@schemathesis.hook
def before_load_schema(context, raw_schema):
    raw_schema["components"] = without_read_only(raw_schema["components"])


def is_positive(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


def soon():
    return (datetime.now(timezone.utc) + timedelta(days=30)).strftime("%Y-%m-%dT%H:%M:%SZ")


# Requests to end or suspend a tenant name tenants that do not exist, so that the other requests
# find theirs.
ENDS_TENANT = {"Tenants_Delete", "Tenants_Suspend"}
# An Idempotency-Key can be used for one request only.
idempotency_keys = (f"schemathesis-{number}" for number in itertools.count())

# Rules that compare with the time, a list, another field or a format of the product's own. JSON
# Schema cannot express them, so valid requests get a value that fulfils them. Invalid requests are
# never changed.
REPLACED = {
    "ExpiresAt": lambda _: soon(),
    "Since": lambda _: None,
    "Until": lambda _: None,
    # Opaque texts from an earlier answer.
    "Cursor": lambda _: "",
    "Anchor": lambda _: "",
    # The settings define the allowed schemes, hosts and ports.
    "URL": lambda _: "https://receiver.example.com/hook",
    "Issuer": lambda _: "https://id.example.com",
    "IdpSsoURL": lambda _: "https://id.example.com/sso",
    # Nothing serves metadata here.
    "MetadataURL": lambda _: "",
    "MetadataXML": lambda _: "",
    "AuthorizationURL": lambda _: "https://id.example.com/authorize",
    "TokenURL": lambda _: "https://id.example.com/token",
    "UserinfoURL": lambda _: "https://id.example.com/user",
    "EmailsURL": lambda _: "https://id.example.com/emails",
    # Only a private key is accepted.
    "PrivateKey": lambda _: "",
    # Its names have a length, and a provider of the platform has none.
    "AssuranceMap": lambda _: {},
    # Its names have a length, and some of them are reserved.
    "Claims": lambda _: {"ref": "refs/heads/main"},
    # The host bits of a network must be zero.
    "AllowedIPs": lambda _: ["192.0.2.0/24", "2001:db8::1"],
    # The settings define the allowed origins.
    "AppURL": lambda _: "",
    # Too light colours, and files that are not images, are rejected.
    "AccentColor": lambda _: "#1c4fc2",
    "Logo": lambda _: "",
    # Common passwords are rejected.
    "Password": lambda _: "a long phrase of 4 words",
    # At most 4 KiB in all, and keys of 1 to 64 characters: OpenAPI 3.0 has no propertyNames.
    "Metadata": lambda value: {key[:64] or "key": "value" for key in list(value)[:5]} if isinstance(value, dict) else value,
}

# A direct call accepts a token of printable ASCII, or one that the queue has sealed.
TOKEN = {"Token": lambda _: "bwkv_token"}
# The same for one operation.
REPLACED_IN = {
    # Only the stored address is accepted.
    "Account_Update": {"Email": lambda _: None},
    "Users_Update": {"Email": lambda _: None},
    "Account_Task_SendEmailVerification": TOKEN,
    "Account_Task_SendPasswordReset": TOKEN,
    "TenantInvitations_Task_SendTenantInvitation": TOKEN,
    # The settings define the allowed hosts and ports. Addresses are in their normal form.
    "Apps_Save": {
        "RedirectURIs": lambda _: ["https://app.example.com/callback"],
        "PostLogoutRedirectURIs": lambda _: ["https://app.example.com/"],
        "BackchannelLogoutURI": lambda _: "https://app.example.com/logout",
        "Jwks": lambda _: "",
    },
    # It takes seconds, and ends the tokens of the others.
    "Keys_Rotate": {"WithdrawSigningKeys": lambda _: False},
    # A set of keys is text.
    "BotTrusts_Save": {"JWKS": lambda _: ""},
    # The other kinds need details that a task of the queue carries beside the request.
    "Account_Task_SendNotice": {"Kind": lambda _: "password_changed"},
}


def kept(name, value, operation):
    replace = REPLACED_IN.get(operation, {}).get(name, REPLACED.get(name))
    if value is not None and replace is not None:
        return replace(value)
    if isinstance(value, dict):
        return {key: kept(key, inner, operation) for key, inner in value.items()}
    if isinstance(value, list):
        return [kept("", inner, operation) for inner in value]
    # Half of the requests name an existing tenant.
    if isinstance(value, str) and value.startswith("tnt_") and ord(value[-1]) % 2 == 0 and operation not in ENDS_TENANT:
        return TENANT
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    if not is_positive(case):
        return
    if "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = next(idempotency_keys)
    if not isinstance(case.body, dict):
        return
    case.body = kept("", case.body, case.operation.definition.raw["operationId"])
    if case.operation.path == "/Events_Publish":
        case.body["Body"] = base64.b64encode(b'{"a":1}').decode()


def code_of(response):
    try:
        return response.json().get("Code")
    except (json.JSONDecodeError, AttributeError):
        return None


# Rules with a message that JSON Schema cannot express. A request that breaks only these is not
# malformed.
UNSPOKEN = re.compile(
    "|".join(
        [
            # The platform's key belongs to no tenant and no user, so its requests must name them.
            r"([A-Za-z]+\.)?(Tenant|OwnerID) is required",
            # Names are one line, which the pattern of a name leaves out.
            r"([A-Za-z]+\.)*[A-Za-z]*(Name|Reason) must not contain control characters .*",
            # A new record needs more than the change of one, also if the request leaves the record out.
            r"(App|Bot|Provider)\.(Kind|Name) is required",
            # These compare two fields.
            r"([A-Za-z]+\.)?Tenant must be empty if ([A-Za-z]+\.)?Platform is true",
            r"Changes\[\d+\]\.[A-Za-z_]+ must be in the plan's Tenant",
            # The required fields of a new provider depend on its kind and its method.
            r"Secret is required with [a-z_]+",
            r"Provider\.(Issuer|ClientID|Idp(EntityID|SsoURL|Certificates)) is required.*",
            r"Provider\.(Authorization|Token|Userinfo)URL is required.*",
            r"Provider\.[A-Za-z]+ must (not )?be [a-z]+ if Provider\.Tenant is (not )?empty",
            r"Provider\.Kind must be [a-z]+ with Preset [a-z]+",
            r"(Provider\.KeyID and Provider\.TeamID|PrivateKey) must be empty without Preset apple",
            r"(PrivateKey|Provider\.(KeyID|TeamID)) is required with [A-Za-z. ]+",
            r"Provider\.TokenAuthMethod must be client_secret_post with PrivateKey",
            # The required fields of an app depend on its kind and its method, and its scopes on its tenant.
            r"App\.RedirectURIs (is required|must be empty) with Kind [a-z]+",
            r"App\.TokenEndpointAuthMethod must (not )?be none with Kind .*",
            r"App\.Jwks is required with private_key_jwt",
            r"App\.Scopes must not contain iam\.platform permissions if App\.Tenant is not empty",
            # A setting of the tenant.
            r"Email must be an address at .*: the tenant does not invite other domains",
        ]
    )
)


def breaks_only_unspoken_rules(response):
    return all(UNSPOKEN.fullmatch(message) for message in response.json()["Messages"])


# The operations that answered a valid request with success. The test counts them, because a run
# with few of them proves little.
succeeded = set()
atexit.register(lambda: print(f"{len(succeeded)} operations succeeded"))


@schemathesis.check
def valid_shape_is_accepted(ctx, response, case):
    """A valid request may fail because of the state of its records or the caller's rights, but not as malformed."""
    if not is_positive(case) or case.operation.method.upper() != case.method.upper():
        return
    if response.status_code < 400:
        succeeded.add(case.operation.label)
    if code_of(response) == "invalid_argument" and not breaks_only_unspoken_rules(response):
        raise AssertionError(f"{case.operation.label}: a valid request was rejected: {response.json()['Messages']}")
