import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';

/** A right, when it ends in ms since 1970, and whether a call still has it. */
type Right = { end: number; isAllowed: () => Promise<boolean> };

// Gateways, identity and access answer from their caches meanwhile.
describeOne('rights that end by themselves', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });

  async function begin() {
    const owner = await signUp(stack);
    return { owner, Tenant: await tenantFor(stack, owner.id) };
  }

  /**
   * Changes a tenant in the database. `ending.time` lies `seconds` ahead. Returns that time, in ms
   * since 1970.
   */
  async function change(Tenant: string, changes: string, seconds: number): Promise<number> {
    const text = `update access.tenant set ${changes} from (select now() + $2 * interval '1 second' as time) ending
      where id = $1 returning (extract(epoch from ending.time) * 1000)::float8 as ms`;
    const [row] = await rowsOf(stack, text, [Tenant, seconds]);
    return Number(row?.['ms']);
  }

  const isAccepted = async (operation: string, request: object, token: string) =>
    (await stack.call(operation, request, token)).status === 200;

  const lifted = `settings = settings || '{"requireSso": true}', sso_lifted_until = ending.time`;
  const required = `settings = settings || jsonb_build_object('factor',
    jsonb_build_object('required', 'any', 'graceDays', 1, 'before', 'off', 'from', ending.time))`;

  /** Rights of an owner while the tenant demands nothing more of the session. */
  const undemanding =
    (changes: string, isAllowed: (token: string, Tenant: string) => Promise<boolean>) =>
    async (seconds: number): Promise<Right> => {
      const { owner, Tenant } = await begin();
      const end = await change(Tenant, changes, seconds);
      return { end, isAllowed: () => isAllowed(owner.token, Tenant) };
    };
  const lists = (token: string, Tenant: string) => isAccepted('Groups_List', { Tenant }, token);

  const rights: Record<string, (seconds: number) => Promise<Right>> = {
    async 'a grant'(seconds) {
      const [{ owner, Tenant }, friend] = [await begin(), await signUp(stack)];
      const member = { Tenant, UserID: friend.id };
      bodyOf(await stack.call('TenantMembers_Add', member, stack.platformKey));
      const end = Date.now() + seconds * 1000;
      const Grant = { ...member, Role: 'admin', ExpiresAt: new Date(end).toISOString() };
      bodyOf(await stack.call('Grants_Add', { Grant }, owner.token));
      const audit = () => isAccepted('Audit_List', { Tenant }, friend.token);
      return { end, isAllowed: audit };
    },
    async 'a session'(seconds) {
      const { id, token } = await signUp(stack);
      const [row] = await rowsOf(
        stack,
        `update identity.session set expires_at = now() + $2 * interval '1 second'
         where user_id = $1 returning (extract(epoch from expires_at) * 1000)::float8 as ms`,
        [id, seconds],
      );
      return { end: Number(row?.['ms']), isAllowed: () => isAccepted('Sessions_List', {}, token) };
    },
    'the exemption from single sign-on': undemanding(lifted, lists),
    'the exemption, in introspection': undemanding(lifted, async (Token, Tenant) => {
      const request = { Token, Tenant };
      return (
        bodyOf(await stack.call('Tokens_Introspect', request, stack.platformKey))['Active'] === true
      );
    }),
    'the grace before a second factor is required': undemanding(required, lists),
    'the grace, in a decision': undemanding(required, async (token, Tenant) => {
      const request = { Tenant, Permission: 'iam.groups.read' };
      return bodyOf(await stack.call('Access_Check', request, token))['Allowed'] === true;
    }),
  };

  /** The number of calls that had the right. None may begin after its end. */
  async function countAllowed({ end, isAllowed }: Right): Promise<number> {
    for (let allowed = 0; ; allowed++) {
      const began = Date.now();
      if (!(await isAllowed())) {
        assert.ok(Date.now() >= Math.floor(end), `refused ${end - Date.now()} ms before the end`);
        return allowed;
      }
      assert.ok(began < end, `allowed ${began - end} ms after the end`);
      await sleep(20);
    }
  }

  for (const [name, give] of Object.entries(rights))
    test(`${name} ends at once`, async () => {
      // A slow machine may need longer until the first call.
      let allowed = 0;
      for (let seconds = 3; allowed < 2; seconds *= 3)
        allowed = await countAllowed(await give(seconds));
    });
});
