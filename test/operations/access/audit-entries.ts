import { readList } from '../../support/answers.ts';
import { type Answer, eventually, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';

export type Entry = {
  ID: string;
  Tenant: string;
  Seq: number;
  OccurredAt: string;
  Action: string;
  Operation: string;
  Result: string;
  Code: string;
  ActorType: string;
  ActorID: string;
  CredentialID: string;
  Targets: Array<{ Type: string; ID: string; Name: string }>;
  Permission: string;
  GrantID: string;
  IP: string;
  RequestID: string;
  Changes: Array<{ Field: string; Old: string; New: string }>;
  PrevHash: string;
  Hash: string;
};

export type Audit = Awaited<ReturnType<typeof startAudit>>;

/** The stack, two people and the calls of the suites about audit entries. */
export async function startAudit(stack: Stack) {
  const [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  const newTenant = async () => tenantFor(stack, ada.id);
  const save = (Tenant: string, Path: string, token = ada.token) =>
    stack.call('Groups_Save', { Group: { Tenant, Path } }, token);
  /** All entries of a tenant, newest first. */
  const entriesOf = async (Tenant: string, more: object = {}, token = ada.token, limit = 200) =>
    (await readList<Entry>(stack, 'Audit_List', { Tenant, ...more }, token, limit)).items;
  /**
   * Waits until the projector, which runs a moment behind the calls, has written `count` entries.
   */
  const entriesWhenThere = (Tenant: string, count: number, more: object = {}, token = ada.token) =>
    eventually(`${count} audit entries`, async () => {
      const entries = await entriesOf(Tenant, more, token);
      return entries.length >= count && entries;
    });
  const requestIdOf = ({ headers }: Answer) => String(headers.get('x-request-id'));

  return {
    stack,
    ada,
    bob,
    newTenant,
    save,
    entriesOf,
    entriesWhenThere,
    requestIdOf,
    stop: () => stack.stop(),
  };
}
