import { dekRotation } from '@bailiwick/shared/keys/table.ts';
import { Migration } from '@mikro-orm/migrations';

export class KeyRotation extends Migration {
  override up(): void {
    this.addSql(dekRotation);
    // What is sealed with a key is looked for when another has taken its place.
    this.addSql('create index delivery_waiting_dek on delivery_waiting (tenant, dek_id, task);');
  }
}
