import { failedPrecondition } from '@bailiwick/errors';

/** The people who may register: all, those with an invitation, or none. */
export type RegistrationRule = 'open' | 'invited' | 'closed';

/** @throws failed_precondition if this installation does not let the person register */
export function assertMayRegister(rule: RegistrationRule, isInvited: boolean): void {
  if (rule === 'open' || (rule === 'invited' && isInvited)) return;
  throw rule === 'closed'
    ? failedPrecondition('registration is closed', 'REGISTRATION_CLOSED')
    : failedPrecondition(
        'registration is by invitation: open the link in the mail',
        'REGISTRATION_INVITED',
      );
}
