import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import type { EntityManager } from '@bailiwick/shared/orm.ts';
import type { KeyRing } from '@bailiwick/shared/seal.ts';
import { mailTask, noticeTask, type Task } from '@bailiwick/shared/tasks.ts';
import { createToken, tokenHash, tokenKind } from '@bailiwick/shared/tokens.ts';
import { endSessions } from '../sessions/queries.ts';
import { UserEntity, type UserRow } from '../users/entities.ts';
import { type AccountDeps, mayMail } from './deps.ts';
import { ResetTokenEntity } from './entities.ts';
import { clearFailures, consumeResetToken, voidResetTokens } from './queries.ts';
import { deadToken, recordAuditOnly, recordUser } from './records.ts';

const lifetimeMs = 60 * 60 * 1000;

type Reset = Pick<Handlers<typeof Account>, 'requestPasswordReset' | 'resetPassword'>;

export function resetHandlers(deps: AccountDeps): Reset {
  const { database, passwords, passwordRules, keyRing } = deps;
  return {
    async requestPasswordReset({ email: text }, call) {
      const email = normaliseEmail(text);
      const mailing = await mayMail(deps, email.key);
      await database.transaction(null, async (em) => {
        const user = await em.findOne(UserEntity, { emailKey: email.key, status: 'active' });
        recordAuditOnly(em, call, 'user.password_reset_requested', email.address, user && mailing ? [await resetMail(em, keyRing, user)] : []);
      });
      return {};
    },

    async resetPassword({ token, password }, call) {
      if (tokenKind(token) !== 'reset') throw deadToken();
      // Hashed before the token is looked up: a dead token takes as long as a living one.
      const passwordHash = await passwords.hash(password);
      await database.transaction(null, async (em) => {
        const consumed = await consumeResetToken(em, tokenHash(token));
        if (!consumed) throw deadToken();
        await voidResetTokens(em, consumed.user_id);
        await endSessions(em, consumed.user_id);
        call.outdated.add(`user:${consumed.user_id}`);
        const user = await em.findOneOrFail(UserEntity, { id: consumed.user_id });
        // A password that is refused rolls the token's use back: the person tries again with another one.
        await passwordRules(password, user.email);
        await clearFailures(em, user.emailKey);
        user.passwordHash = passwordHash;
        user.emailVerified = true;
        user.updatedAt = new Date();
        recordUser(em, call, 'user.password_changed', user, { tasks: [noticeTask('password_changed', user.email)] });
      });
      return {};
    },
  };
}

/** Issues a reset token, voiding older ones, and returns the mail that carries it. */
export async function resetMail(em: EntityManager, keyRing: KeyRing, user: UserRow): Promise<Task> {
  const token = createToken('reset');
  const now = new Date();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  await voidResetTokens(em, user.id);
  em.persist(em.create(ResetTokenEntity, { tokenHash: tokenHash(token), userId: user.id, emailKey: user.emailKey, createdAt: now, expiresAt }));
  return mailTask('Account_Task_SendPasswordReset', keyRing, { Email: user.email, Token: token }, { expiresAt: expiresAt.toISOString() });
}
