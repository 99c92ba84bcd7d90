import { createId, normaliseEmail } from '@bailiwick/contract';
import { alreadyExists } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { type Database, lockName } from '@bailiwick/store';
import type { Passwords } from '../passwords/passwords.ts';
import { newUser, UserEntity, type UserRow, userRecord } from '../users/entities.ts';
import { consumeRivals, settleEmail } from '../users/queries.ts';
import { recordUser } from '../users/records.ts';

type Deps = { database: Database; passwords: Passwords };

export function creationHandler({
  database,
  passwords,
}: Deps): Pick<Handlers<typeof Users>, 'create'> {
  return {
    async create({ user: draft, password }, call) {
      const email = await settleEmail(database, normaliseEmail(draft?.email ?? ''));
      const passwordHash = password === undefined ? null : await passwords.hash(password);
      const user: UserRow = {
        ...newUser(createId('usr'), email, passwordHash, new Date()),
        name: draft?.name ?? '',
        givenName: draft?.givenName ?? '',
        familyName: draft?.familyName ?? '',
        picture: draft?.picture ?? '',
        locale: draft?.locale ?? '',
        externalId: draft?.externalId ?? '',
        metadata: draft?.metadata?.items ?? {},
      };
      await database.transaction({ tenant: null, row: `account ${email.key}` }, async (em) => {
        await lockName(em, `account ${email.key}`);
        if (await em.findOne(UserEntity, { emailKey: email.key }))
          throw alreadyExists('User.Email has an account already');
        // Voids pending registrations of the address.
        await consumeRivals(em, [email.key]);
        em.persist(em.create(UserEntity, user));
        recordUser(em, call, 'user.registered', user);
      });
      return { user: userRecord(user) };
    },
  };
}
