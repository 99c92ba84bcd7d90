import { bodyOf, recordIn, retryWhileBusy } from '../../support/answers.ts';
import { eventually, type Stack } from '../../support/harness.ts';
import { newAddress, type signUp } from '../../support/people.ts';
import { createApp, relyOn, signInWith } from './stage.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type Row = {
  Holder: string;
  Kind: string;
  Name: string;
  Tenant: string;
  State: string;
  At: string;
  EndsAt: string | null;
  Detail: string;
  SessionID: string;
};
export type Receipt = {
  ID: string;
  Subject: string;
  Reason: string;
  By: string;
  At: string;
  Tenant: string;
  Final: boolean;
  LiftedAt: string | null;
  Rows: Row[];
};

export const stateOf = ({ Rows }: Receipt, holder: string, kind: string): string | undefined =>
  Rows.find(({ Holder, Kind }) => Holder === holder && Kind === kind)?.State;

/** Locks users, reads receipts and signs people in to apps. */
export function lockCalls(stack: () => Stack) {
  const platform = async (operation: string, body: object) =>
    bodyOf(await stack().call(operation, body, stack().platformKey));
  const lock = async (UserID: string) =>
    recordIn(
      await retryWhileBusy(() =>
        stack().call('Users_Lock', { UserID, Reason: 'a stolen laptop' }, stack().platformKey),
      ),
      'Receipt',
    ) as Receipt;
  const read = async (ID: string, Tenant = '', token = stack().platformKey) =>
    bodyOf(await stack().call('LockReceipts_Get', { ID, Tenant }, token)) as unknown as {
      Receipt: Receipt;
      Signed: string;
    };
  const final = (ID: string) =>
    eventually('a final receipt', async () => {
      const answer = await read(ID);
      return answer.Receipt.Final && answer;
    });

  /** Signs a person in to a new app. */
  async function enter({ token }: Person, fields: object = {}, maker = stack().platformKey) {
    const app = await createApp(stack(), { Name: newAddress('app'), ...fields }, maker);
    const config = await relyOn(stack(), app);
    const { tokens } = await signInWith(stack(), config, token, {
      scope: 'openid offline_access',
      prompt: 'consent',
    });
    return { app: app.ID, config, refreshToken: tokens.refresh_token ?? '' };
  }

  return { platform, lock, read, final, enter };
}
