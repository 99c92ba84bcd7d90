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

/** The question about a token. The same tokens of a session at an app ask the same one. */
export function questionOf(token: VerifiedToken): Question {
  const { sub, client_id: clientId, sid, credential, tenant = '', aud = [], keyId } = token;
  return {
    Token: {
      Subject: sub,
      Client: clientId,
      Session: textOf(sid),
      Credential: textOf(credential),
      Tenant: tenant,
      Audience: [aud].flat(),
      KeyID: keyId,
    },
  };
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '');

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
