import type { Handlers } from '@bailiwick/pipeline';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { linkHandlers } from '../federation/pending-links/pending-links.ts';
import { passkeyLoginHandlers } from '../passkeys/login.ts';
import { codeHandlers } from '../sessions/codes.ts';
import type { AccountDeps } from './deps.ts';
import { emailChangeHandlers } from './email-change.ts';
import { loginHandlers } from './login.ts';
import { mailedCodeHandlers } from './mailed-codes.ts';
import { profileHandlers } from './profile.ts';
import { readHandlers } from './read.ts';
import { registrationHandlers } from './register.ts';
import { resetHandlers } from './reset.ts';
import { stepUpHandlers } from './step-up.ts';

export const accountHandlers = (deps: AccountDeps): Handlers<typeof Account> => ({
  ...registrationHandlers(deps),
  ...resetHandlers(deps),
  ...loginHandlers(deps),
  ...stepUpHandlers(deps),
  ...mailedCodeHandlers(deps),
  ...readHandlers(deps),
  ...profileHandlers(deps),
  ...emailChangeHandlers(deps),
  ...codeHandlers(deps),
  ...linkHandlers(deps),
  ...passkeyLoginHandlers(deps),
});
