import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import type { Origin, ReturnAddress } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import type { Database } from '@bailiwick/store';
import type { Flow } from '../providers/protocols.ts';
import { SignInRefused } from '../refusal.ts';
import { FlowEntity } from './entities.ts';
import {
  consumeFlow,
  findPastFlow,
  hasRestartedFlow,
  isFlowWaiting,
  type PastFlow,
} from './queries.ts';

const lifetimeMs = 10 * 60_000;
// Longer than the sign-in pages of common providers wait for their users.
const retentionMs = 60 * 60_000;

const random = () => randomBytes(32).toString('base64url');
const hash = (text: string) => createHash('sha256').update(text).digest();
const idOf = (state: string) => hash(state).toString('hex');
const contextOf = (id: string) => [id, 'verifier'] as const;

/** The cookie name of a flow: flows in several tabs do not conflict. */
export const cookieOf = (state: string): string => idOf(state).slice(0, 16);

// An XML id must not begin with a digit.
export const createFlow = (kind: string): Flow => ({
  state: random(),
  request: kind === 'saml' ? `_${randomBytes(20).toString('hex')}` : random(),
  verifier: kind === 'saml' ? '' : random(),
});

type Store = { database: Database; keys: TenantKeys };
type ProviderKey = { tenant: string; provider: string };

/**
 * Stores a flow, which can be used for ten minutes. Returns the binding value for the browser's
 * cookie.
 */
export async function storeFlow(
  { database, keys }: Store,
  call: Origin,
  { tenant, provider }: ProviderKey,
  flow: Flow,
  target: ReturnAddress & { restarted: boolean },
): Promise<string> {
  const binding = random();
  const id = idOf(flow.state);
  const { dekId, sealed } =
    flow.verifier === ''
      ? { dekId: '', sealed: Buffer.alloc(0) }
      : await keys.seal(tenant, Buffer.from(flow.verifier), contextOf(id));
  const now = new Date();
  await database.transaction({ call, tenant }, async (tx) => {
    const times = {
      createdAt: now,
      expiresAt: new Date(now.getTime() + lifetimeMs),
      keptUntil: new Date(now.getTime() + retentionMs),
    };
    tx.em.persist(
      tx.em.create(FlowEntity, {
        tenant,
        id,
        provider,
        bindingHash: hash(binding),
        request: flow.request,
        dekId,
        verifierEnc: sealed,
        ...target,
        ...times,
      }),
    );
  });
  return binding;
}

/** A flow of this browser, also a used or expired one. */
export const findFlowOfBrowser = (
  { database }: Pick<Store, 'database'>,
  { tenant, provider, state, bindings }: FlowKey,
): Promise<PastFlow | undefined> =>
  findPastFlow(
    database,
    { tenant, provider, id: idOf(state) },
    hash(bindings[cookieOf(state)] ?? ''),
  );

/** Whether a sign-in of this browser at the provider began again by itself. */
export const wasRestarted = (
  { database }: Pick<Store, 'database'>,
  key: ProviderKey,
  bindings: Readonly<Record<string, string>>,
): Promise<boolean> => hasRestartedFlow(database, key, Object.values(bindings).map(hash));

type FlowKey = ProviderKey & { state: string; bindings: Readonly<Record<string, string>> };

/**
 * Ends a flow for the browser that started it; it can be used once. Throws SignInRefused for any
 * other.
 */
export async function takeFlow(
  { database, keys }: Store,
  call: Origin,
  { tenant, provider, state, bindings }: FlowKey,
): Promise<Flow & ReturnAddress> {
  const key = { tenant, provider, id: idOf(state) };
  const row = await consumeFlow(database, call, key, hash(bindings[cookieOf(state)] ?? ''));
  if (!row) {
    if (await isFlowWaiting(database, key))
      throw new SignInRefused(
        'FLOW_ELSEWHERE',
        'the response came from a different browser than the one that started the sign-in',
      );
    throw new SignInRefused('FLOW_UNKNOWN', 'the sign-in has expired or was finished before');
  }
  const verifier =
    row.dekId === ''
      ? ''
      : (
          await keys.open(tenant, { dekId: row.dekId, sealed: row.verifierEnc }, contextOf(row.id))
        ).toString();
  return { state, request: row.request, verifier, returnTo: row.returnTo, origin: row.origin };
}
