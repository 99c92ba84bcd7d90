import { rateWindowTable } from '@bailiwick/store';
import { Migration } from '@mikro-orm/migrations';

export class Limits extends Migration {
  override up(): void {
    this.addSql(rateWindowTable);
  }
}
