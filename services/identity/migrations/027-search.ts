import { Migration } from '@mikro-orm/migrations';

const key = (text: string) =>
  `left(regexp_replace(normalize(lower(${text}), NFKD), '[\\u0300-\\u036f]', '', 'g'), 64) collate "C"`;
const lastWord = (text: string) => key(`split_part(${text}, ' ', -1)`);

// Users_List and Bots_List search by the beginning of these keys, and sort by them. Few users are
// disabled, so the index of statuses leaves the active ones out.
const indexes: Readonly<Record<string, string>> = {
  user_account_name: `user_account ((${key('name')}), id)`,
  user_account_last_word: `user_account ((${lastWord('name')}), id)`,
  user_account_email: `user_account ((${key('email')}), id)`,
  user_account_created: 'user_account (created_at, id)',
  user_account_status: `user_account (status, id) where status <> 'active'`,
  bot_name: `bot (tenant, (${key('name')}), id)`,
  bot_last_word: `bot (tenant, (${lastWord('name')}), id)`,
  bot_created: 'bot (tenant, created_at, id)',
};

/** The indexes for the search in lists. */
export class Search extends Migration {
  // `concurrently` lets rows be written while an index is built, and needs no transaction. A build
  // that was interrupted leaves an invalid index, which the next run replaces.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build waits for older transactions, and holds no lock that a call waits for.
    this.addSql(`set lock_timeout = '30min'`);
    for (const [name, definition] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${definition}`);
    }
    this.addSql('reset lock_timeout');
  }
}
