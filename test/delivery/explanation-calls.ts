import { Buffer } from 'node:buffer';
import { bodyOf } from '../support/answers.ts';
import { eventually, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { makeEndpoint, type Owner } from './endpoints.ts';
import type { Receiver } from './receiver.ts';

type Explanation = {
  Endpoint: string;
  Name: string;
  Receives: boolean;
  Reason: string;
  State: string;
  Message: string;
  Wait?: { For: string; Until?: string; Attempt: number; LastAttempt: number };
  Attempts: Array<{ Attempt: number; Status: string; StatusCode: number; NextAttemptAt?: string }>;
};
type Answer = { Event: string; EventType: string; OccurredAt: string; Endpoints: Explanation[] };

/** Calls that publish an event and explain it. */
export function createExplanationCalls(place: () => { stack: Stack; receiver: Receiver }) {
  const stack = () => place().stack;
  const receiver = () => place().receiver;
  async function newOwner(): Promise<Owner> {
    const { token } = await signUp(stack());
    return { stack: stack(), token, tenant: await createTenant(stack(), token) };
  }
  const publish = async ({ tenant, token }: Owner, Type = 'report.made'): Promise<string> => {
    const request = { Tenant: tenant, Type, Body: Buffer.from('{}').toString('base64') };
    return String(bodyOf(await stack().call('Events_Publish', request, token))['ID']);
  };
  const ask = ({ tenant, token }: Owner, Event: string) =>
    stack().call('Webhooks_ExplainDelivery', { Tenant: tenant, Event }, token);
  const explain = async (owner: Owner, event: string): Promise<Answer> =>
    bodyOf(await ask(owner, event)) as Answer;
  /** The explanation at one endpoint, once it has this state or reason. */
  const explained = (owner: Owner, event: string, endpoint: string, expected: string) =>
    eventually(`${expected} at ${endpoint}`, async () => {
      const { Endpoints } = await explain(owner, event);
      const one = Endpoints.find(({ Endpoint }) => Endpoint === endpoint);
      return one && [one.Reason, one.State, one.Wait?.For].includes(expected) && one;
    });
  const at = (owner: Owner, path: string, more: object = {}) =>
    makeEndpoint(owner, path, {
      URL: receiver().url(`/${path}`),
      EventTypes: ['report.made'],
      ...more,
    });
  return { newOwner, publish, ask, explain, explained, at };
}
