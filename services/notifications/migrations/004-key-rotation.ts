import { dekRotation } from '@bailiwick/keys';
import { Migration } from '@mikro-orm/migrations';

export class KeyRotation extends Migration {
  override up(): void {
    this.addSql(dekRotation);
    // After a rotation, rows are looked up by their old data key.
    this.addSql('create index delivery_waiting_dek on delivery_waiting (tenant, dek_id, task);');
  }
}
