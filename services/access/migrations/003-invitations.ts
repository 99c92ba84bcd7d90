import { rateWindowTable } from '@bailiwick/store';
import { Migration } from '@mikro-orm/migrations';

export class Invitations extends Migration {
  override up(): void {
    this.addSql(rateWindowTable);
    this.addSql(invitations);
  }
}

// At most one invitation per tenant and address is pending. An answered one keeps its token's hash,
// so that a repeated answer is recognised.
const invitations = `
  create table invitation (
    tenant text not null,
    id text not null,
    email text not null,
    email_key text not null,
    status text not null,
    roles text[] not null,
    groups jsonb not null,
    inviter_type text not null,
    invited_by text not null,
    inviter_narrowed_to text[] not null,
    accepted_by text not null,
    token_hash bytea not null,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (tenant, id),
    constraint invitation_token_hash unique (token_hash)
  );
  create unique index invitation_pending on invitation (tenant, email_key) where status = 'pending';
  create index invitation_email_key on invitation (email_key, id);
  create index invitation_expiry on invitation (expires_at) where status = 'pending';`;
