import { rateWindowTable } from '@bailiwick/shared/limits.ts';
import { Migration } from '@mikro-orm/migrations';

export class Limits extends Migration {
  override up(): void {
    this.addSql(rateWindowTable);
  }
}
