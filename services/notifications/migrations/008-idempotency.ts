import { idempotentCallTable } from '@bailiwick/pipeline';
import { Migration } from '@mikro-orm/migrations';

export class Idempotency extends Migration {
  override up(): void {
    this.addSql(idempotentCallTable);
  }
}
