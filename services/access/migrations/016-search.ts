import { Migration } from '@mikro-orm/migrations';

const key = (text: string) =>
  `left(regexp_replace(normalize(lower(${text}), NFKD), '[\\u0300-\\u036f]', '', 'g'), 64) collate "C"`;
const lastPart = (text: string, separator: string) =>
  key(`split_part(${text}, '${separator}', -1)`);

// The lists of members, groups and invitations search by the beginning of these keys, and sort by
// them. Most members are active, so the index of statuses leaves these out.
const indexes: Readonly<Record<string, string>> = {
  tenant_member_name: 'tenant_member (tenant, name_key, user_id)',
  tenant_member_last_word: 'tenant_member (tenant, last_word_key, user_id)',
  tenant_member_email: 'tenant_member (tenant, email_key, user_id)',
  tenant_member_joined: 'tenant_member (tenant, joined_at, user_id)',
  tenant_member_source: 'tenant_member (tenant, source, user_id)',
  tenant_member_inactive: `tenant_member (tenant, status, user_id) where status <> 'active'`,
  tenant_member_undescribed: 'tenant_member (user_id) where described_at is null',
  group_entry_name: `group_entry (tenant, (${key('name')}), id)`,
  group_entry_last_word: `group_entry (tenant, (${lastPart('name', ' ')}), id)`,
  group_entry_path: `group_entry (tenant, (${key('key')}), id)`,
  group_entry_last_part: `group_entry (tenant, (${lastPart('key', '/')}), id)`,
  group_entry_created: 'group_entry (tenant, created_at, id)',
  invitation_email: `invitation (tenant, (${key('email')}), id)`,
  invitation_status: 'invitation (tenant, status, id)',
  invitation_created: 'invitation (tenant, created_at, id)',
};

/**
 * What members are found by, and the indexes for the search in lists. The service fills the columns
 * in after its start. The previous version leaves them empty, and they are filled in later.
 */
export class Search extends Migration {
  // `concurrently` lets rows be written while an index is built, and needs no transaction. A build
  // that was interrupted leaves an invalid index, which the next run replaces.
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      alter table tenant_member
        add column if not exists name_key text collate "C" not null default '',
        add column if not exists last_word_key text collate "C" not null default '',
        add column if not exists email_key text collate "C" not null default '',
        add column if not exists described_at timestamptz(3)`);
    // A build waits for older transactions, and holds no lock that a call waits for.
    this.addSql(`set lock_timeout = '30min'`);
    for (const [name, definition] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${definition}`);
    }
    this.addSql('reset lock_timeout');
  }
}
