import { type Loaded, leaseMs, type RightsKey } from '@bailiwick/broker';
import { lastsOf } from '@bailiwick/contract';
import { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { asService } from '@bailiwick/wire';
import { createClient } from '@connectrpc/connect';
import type { Peers } from '../peers.ts';

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

export const createQuestions = (peers: Peers) => {
  const authority = createClient(Authority, asService(peers.access, 'gateway'));
  return async (question: Question, _ip: string): Promise<Loaded<FollowedValue>> => {
    if (question.kind === 'token') throw new Error('not yet');
    const { subject, tenant } = question;
    const { effective, sets, grants } = await authority.describeRights({
      principal: {
        principalType: subject.startsWith('bot_') ? 'bot' : 'user',
        principalId: subject,
        tenant,
      },
      withoutSession: true,
    });
    return {
      value: {
        Sets: sets.map(({ permissions }) => permissions),
        Grants: Object.fromEntries(grants.map((one) => [one.resource, one.sets])),
      },
      keys: (effective?.cacheKeys ?? []) as RightsKey[],
      lastsMs: lastsOf({ unchangedFor: effective?.unchangedFor }, leaseMs),
    };
  };
};
