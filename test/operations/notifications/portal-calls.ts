import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { bodyOf } from '../../support/answers.ts';
import { eventually, type Stack, type Topology } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

export const allAbilities = ['bodies', 'replay', 'test', 'rotate'] as const;

export type Portal = { ID: string; Name: string; Abilities: string[]; ExpiresAt: string };
export type Attempt = { ID: string; Endpoint: string; Status: string; Attempt: number };

/** A tenant with its owner, and the calls of the suites about the receivers' portal. */
export async function startPortal(topology: Topology) {
  const stack = await sharedStack(topology, { BAILIWICK_RETRY_SCHEDULE: '0s,1s' });
  const owner = await signUp(stack);
  const tenant = await tenantFor(stack, owner.id);
  const call = (operation: string, body: object, token?: string) =>
    stack.call(operation, body, token);

  async function endpoint(URL: string, more: object = {}): Promise<string> {
    const record = {
      Tenant: tenant,
      Name: 'Orders',
      EventTypes: ['report.finished'],
      URL,
      ...more,
    };
    const answer = bodyOf(await call('Webhooks_CreateEndpoint', { Endpoint: record }, owner.token));
    return (answer['Endpoint'] as { ID: string }).ID;
  }
  const create = (Endpoint: string, more: object = {}, token = owner.token) =>
    call(
      'WebhookPortals_Create',
      { Tenant: tenant, Endpoint, Name: 'Globex', Abilities: allAbilities, ...more },
      token,
    );
  /** A new link: its record, and the token in its fragment. */
  async function linkTo(id: string, more: object = {}, token = owner.token) {
    const { Portal, Link } = bodyOf(await create(id, more, token)) as {
      Portal: Portal;
      Link: string;
    };
    return { portal: Portal, link: Link, secret: new URL(Link).hash.slice(1) };
  }
  const open = (Token: string) => call('Portal_Open', { Token });
  async function session(id: string, more: object = {}, token = owner.token) {
    const link = await linkTo(id, more, token);
    return { ...link, token: String(bodyOf(await open(link.secret))['Token']) };
  }
  /** Publishes an event and returns its ID, which is the ID of its messages. */
  async function publish(payload: object): Promise<string> {
    const Body = Buffer.from(JSON.stringify(payload)).toString('base64');
    const event = { Tenant: tenant, Type: 'report.finished', Body };
    return String(bodyOf(await call('Events_Publish', event, owner.token))['ID']);
  }
  /** Waits until the portal lists the newest attempt of a message with this result. */
  const attempted = (token: string, id: string, status: string) =>
    eventually(`${id} ${status}`, async () => {
      const { Page } = bodyOf(await call('Portal_ListAttempts', {}, token)) as {
        Page: { Items: Attempt[] };
      };
      const attempt = Page.Items.find(({ ID }) => ID === id);
      return attempt?.Status === status && attempt;
    });
  const isOpen = async (token: string) => (await call('Portal_Get', {}, token)).status === 200;

  return {
    stack,
    owner,
    tenant,
    call,
    endpoint,
    create,
    linkTo,
    open,
    session,
    publish,
    attempted,
    isOpen,
  };
}

export type PortalStage = Awaited<ReturnType<typeof startPortal>>;

/** The newest audit entry of an action in a tenant. */
export const auditOf = (stack: Stack, tenant: string, action: string, by: string) =>
  eventually(`the entry ${action}`, async () => {
    const { Page } = bodyOf(
      await stack.call(
        'Audit_List',
        { Tenant: tenant, Filter: { Actions: [action], ActorIDs: [by] } },
        stack.platformKey,
      ),
    ) as { Page: { Items: Array<{ ActorType: string; ActorID: string; Targets: object[] }> } };
    return Page.Items[0];
  });

/** A token of the same kind that was never issued. */
export function changed(token: string): string {
  const other = token.at(20) === 'a' ? 'b' : 'a';
  const unknownToken = token.slice(0, 20) + other + token.slice(21);
  assert.notEqual(unknownToken, token);
  return unknownToken;
}
