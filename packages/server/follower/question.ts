import { InvalidTokenError } from '../errors.ts';
import type { VerifiedToken } from '../verifier.ts';
import type { Entry } from './entries.ts';

/** A question, as it stands in the frame `ask`. */
export type Question =
  | {
      Token: {
        Subject: string;
        Client: string;
        Session: string;
        Credential: string;
        Tenant: string;
        Audience: string[];
        KeyID: string;
      };
    }
  | { Subject: string; Tenant: string };

type TokenFields = Extract<Question, { Token: unknown }>['Token'];

// A gateway closes a follower that sends a bad frame, and all its entries end with the connection.
// So texts of a request are checked before they are sent.

/** The most characters of a text in a frame, and the most audiences. */
const maxText = 2048;
const maxAudiences = 20;

const idPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/**
 * The question about a token. The same tokens of a session at an app ask the same one.
 * @throws InvalidTokenError for claims that no token of Bailiwick has
 */
export function questionOf(token: VerifiedToken): Question {
  const { sub, client_id: clientId, sid, credential, tenant = '', aud = [], keyId } = token;
  const fields: TokenFields = {
    Subject: sub,
    Client: clientId,
    Session: textOf(sid),
    Credential: textOf(credential),
    Tenant: tenant,
    Audience: [aud].flat(),
    KeyID: keyId,
  };
  if (!isComplete(fields))
    throw new InvalidTokenError('Bailiwick issues no token with such claims');
  return { Token: fields };
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '');

/** Whether a gateway takes the fields. A verifier has seen that the claims exist, and not their types. */
function isComplete({
  Subject,
  Client,
  KeyID,
  Session,
  Credential,
  Tenant,
  Audience,
}: TokenFields) {
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && text.length <= maxText;
  return (
    [Subject, Client, KeyID, ...Audience].every((text) => isText(text) && text !== '') &&
    [Session, Credential, Tenant].every(isText) &&
    Audience.length <= maxAudiences
  );
}

/** The question about a user or bot in a tenant. @throws TypeError for a text that is no ID */
export function subjectQuestion(subject: string, tenant: string): Question {
  if (!isId(subject, 'usr') && !isId(subject, 'bot'))
    throw new TypeError('subject must be the ID of a user or bot: usr_… or bot_…');
  if (!isId(tenant, 'tnt')) throw new TypeError('tenant must be the ID of a tenant: tnt_…');
  return { Subject: subject, Tenant: tenant };
}

const isId = (text: unknown, prefix: string): boolean =>
  typeof text === 'string' && text.startsWith(`${prefix}_`) && idPattern.test(text.slice(4));

/** A question that waits for its answer. Callers with the same question share it, unless `isPlain`. */
export type PendingQuestion = {
  key: string;
  question: Question;
  /**
   * Whether a plain call asks it. The gateway may have read it, and cannot take the answer back, so
   * a decision that starts later needs a question of its own.
   */
  isPlain: boolean;
  resolve: (entry: Entry) => void;
  reject: (error: Error) => void;
  /** The ID of the last `ask`. */
  askId: number;
  /** The answers so far that could not be kept. */
  lostAnswers: number;
};
