import { Migration } from '@mikro-orm/migrations';

/** The tokens of other issuers that bots authenticate with. */
export class BotTrusts extends Migration {
  override up(): void {
    this.addSql(`
      create table bot_trust (
        tenant text not null,
        id text not null,
        bot text not null,
        issuer text not null,
        audience text not null,
        subject text not null,
        claims jsonb not null,
        created_by text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant, id)
      );
      create index bot_trust_bot on bot_trust (tenant, bot, id);`);
  }
}
