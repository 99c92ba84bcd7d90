import { Migration } from '@mikro-orm/migrations';

export class Bots extends Migration {
  override up(): void {
    this.addSql(`
      create table bot (
        tenant text not null,
        id text not null,
        name text not null,
        description text not null,
        active boolean not null,
        metadata jsonb not null,
        last_used_at timestamptz(3),
        created_by text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant, id)
      );`);
    this.addSql(`
      create table bot_key (
        tenant text not null,
        id text not null,
        bot text not null,
        name text not null,
        token_hash bytea not null constraint bot_key_token_hash unique,
        prefix text not null,
        last4 text not null,
        permissions text[] not null,
        allowed_ips text[] not null,
        expires_at timestamptz(3) not null,
        last_used_at timestamptz(3),
        revoked_at timestamptz(3),
        rotated_from text not null,
        rotated_to text not null,
        notice_at timestamptz(3),
        created_by text not null,
        created_at timestamptz(3) not null,
        primary key (tenant, id)
      );
      create index bot_key_bot on bot_key (tenant, bot, id);
      create index bot_key_notice_at on bot_key (notice_at) where notice_at is not null;`);
  }
}
