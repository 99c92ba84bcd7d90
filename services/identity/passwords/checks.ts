import type { Checks } from '@bailiwick/pipeline';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { PasswordRules } from './rules.ts';

// Password rules run with request validation. Whether a password contains an address that the
// request lacks is checked by the handler.

export const accountChecks = (rules: PasswordRules): Checks<typeof Account> => ({
  register: ({ email, password }) => rules(password, email),
  resetPassword: ({ password }) => rules(password),
  changePassword: ({ password }) => rules(password),
});

export const userChecks = (rules: PasswordRules): Checks<typeof Users> => ({
  create: ({ user, password = '' }) => rules(password, user?.email),
});
