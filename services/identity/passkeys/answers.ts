import { Buffer } from 'node:buffer';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

// Reads the answer of a browser, which is untrusted: a missing field, or one of a wrong type, makes
// it malformed.

/** The data that the browser signed or passed on: the page that asked, and its challenge. */
export type ClientData = { type: string; challenge: string; origin: string; crossOrigin: boolean };

export type RegistrationAnswer = { json: RegistrationResponseJSON; client: ClientData };
export type LoginAnswer = { json: AuthenticationResponseJSON; client: ClientData };

type Fields = Readonly<Record<string, unknown>>;

/** A browser's new credential; undefined if it is malformed. */
export function readRegistration(text: string): RegistrationAnswer | undefined {
  const read = readCredential(text);
  const attestationObject = textIn(read?.response, 'attestationObject');
  if (!read || attestationObject === undefined) return undefined;
  const { clientDataJSON, client, id, response } = read;
  const transports = response['transports'];
  const json: RegistrationResponseJSON = {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON,
      attestationObject,
      transports: Array.isArray(transports) ? transports.filter(isTransport).slice(0, 8) : [],
    },
  };
  return { json, client };
}

/** A browser's answer to a sign-in; undefined if it is malformed. */
export function readLogin(text: string): LoginAnswer | undefined {
  const read = readCredential(text);
  const authenticatorData = textIn(read?.response, 'authenticatorData');
  const signature = textIn(read?.response, 'signature');
  if (!read || authenticatorData === undefined || signature === undefined) return undefined;
  const { clientDataJSON, client, id, response } = read;
  const userHandle = textIn(response, 'userHandle');
  const json: AuthenticationResponseJSON = {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON,
      authenticatorData,
      signature,
      ...(userHandle === undefined ? {} : { userHandle }),
    },
  };
  return { json, client };
}

function readCredential(text: string) {
  const credential = parseObject(text);
  const response = fieldsOf(credential?.['response']);
  const clientDataJSON = textIn(response, 'clientDataJSON');
  const id = textIn(credential, 'id');
  if (!response || clientDataJSON === undefined || !isBase64Url(id)) return undefined;
  if (credential?.['type'] !== 'public-key' || credential['rawId'] !== id) return undefined;
  const client = readClientData(clientDataJSON);
  return client && { id, response, clientDataJSON, client };
}

function readClientData(encoded: string): ClientData | undefined {
  const fields = parseObject(Buffer.from(encoded, 'base64url').toString());
  const type = textIn(fields, 'type');
  const challenge = textIn(fields, 'challenge');
  const origin = textIn(fields, 'origin');
  if (type === undefined || challenge === undefined || origin === undefined) return undefined;
  return { type, challenge, origin, crossOrigin: fields?.['crossOrigin'] === true };
}

function parseObject(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;

function textIn(fields: Fields | undefined, key: string): string | undefined {
  const text = fields?.[key];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** At most 1023 bytes (WebAuthn 5.8.3). */
const isBase64Url = (text: string | undefined): text is string =>
  text !== undefined && /^[A-Za-z0-9_-]{1,1364}$/.test(text);

const isTransport = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z-]{1,32}$/.test(value);
