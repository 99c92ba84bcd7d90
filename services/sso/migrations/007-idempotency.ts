import { idempotentCallTable } from '@bailiwick/shared/idempotency/entity.ts';
import { Migration } from '@mikro-orm/migrations';

export class Idempotency extends Migration {
  override up(): void {
    this.addSql(idempotentCallTable);
  }
}
