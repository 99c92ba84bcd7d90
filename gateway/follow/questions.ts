import type { Loaded } from '@bailiwick/broker';
export type Question =
  | {
      kind: 'token';
      subject: string;
      client: string;
      session: string;
      credential: string;
      tenant: string;
      audiences: string[];
      keyId: string;
    }
  | { kind: 'subject'; subject: string; tenant: string };

export type FollowedValue = {
  Scopes?: string[];
  Sets?: string[][];
  Grants?: Record<string, number[]>;
};

/** The name of a question in a cache. */
export const nameOf = (question: Question): string =>
  `follow ${JSON.stringify(Object.values(question))}`;

export const createQuestions =
  (_peers: object) =>
  (_question: Question, _ip: string): Promise<Loaded<FollowedValue>> =>
    Promise.reject(new Error('not yet'));
