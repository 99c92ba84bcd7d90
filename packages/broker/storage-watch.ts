import { type DiskSpace, gauge, isLow, type Log, readDiskSpace } from '@bailiwick/process';
import type { Broker } from './broker.ts';
import type { BrokerStorage } from './storage.ts';

const brokerUsed = gauge({
  name: 'bailiwick_broker_storage_bytes',
  about: 'Storage of the broker that its account uses. The same from every replica.',
});
const brokerLimit = gauge({
  name: 'bailiwick_broker_storage_limit_bytes',
  about: 'Limit of that storage. Absent if the account has none.',
});
const diskFree = gauge({
  name: 'bailiwick_data_disk_free_bytes',
  about: 'Free space on the disk of BAILIWICK_DATA_DIR.',
});
const diskSize = gauge({
  name: 'bailiwick_data_disk_size_bytes',
  about: 'Size of the disk of BAILIWICK_DATA_DIR.',
});

type Options = {
  broker: Pick<Broker, 'storage' | 'isConnected'>;
  /** A folder on the disk of the database and the broker; "" = none is on this machine. */
  dataDir: string;
  log: Log;
  readDisk?: (folder: string) => Promise<DiskSpace>;
  everyMs?: number;
};

const isNearlyFull = ({ used, limit }: BrokerStorage): boolean =>
  limit !== undefined && used > 0.9 * limit;

/**
 * Watches the broker's storage and the disk of the data folder: as metrics, and as concerns for
 * readiness, which name no host and no path. A concern never makes a process unready: without room,
 * reading and most calls still work, and no other process has more room.
 */
export function watchStorage({
  broker,
  dataDir,
  log,
  readDisk = readDiskSpace,
  everyMs = 30_000,
}: Options) {
  const state = { isBrokerLow: false, isDiskLow: false };
  measure(() => broker.storage(), dataDir === '' ? undefined : () => readDisk(dataDir));

  async function checkBroker(): Promise<void> {
    const { used, limit } = await broker.storage();
    const wasLow = state.isBrokerLow;
    state.isBrokerLow = isNearlyFull({ used, limit });
    if (state.isBrokerLow === wasLow) return;
    if (state.isBrokerLow)
      log.warn(
        'the storage of the broker is nearly full: raise the limit of its account, or free some (docs/runbooks.md, BailiwickBrokerFilling)',
        { used, limit },
      );
    else log.info('the storage of the broker has room again', { used, limit });
  }
  async function checkDisk(): Promise<void> {
    if (dataDir !== '') state.isDiskLow = isLow(await readDisk(dataDir), state.isDiskLow);
  }

  let isChecking = false;
  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    // A failed read keeps the state; the metrics show the failure.
    await Promise.allSettled([broker.isConnected() ? checkBroker() : undefined, checkDisk()]);
    isChecking = false;
  }
  void check();
  const timer = setInterval(() => void check(), everyMs);
  timer.unref();

  return {
    /** Faults that do not keep the process from working. */
    concerns: (): string[] => [
      ...(state.isBrokerLow ? ['the storage of the broker is nearly full'] : []),
      ...(state.isDiskLow ? ['the disk of the database and the broker is nearly full'] : []),
    ],
    stop: () => clearInterval(timer),
  };
}

function measure(
  readStorage: () => Promise<BrokerStorage>,
  readSpace: (() => Promise<DiskSpace>) | undefined,
): void {
  brokerUsed.from(async () => [{ value: (await readStorage()).used, labels: {} }]);
  let hadLimit = false;
  brokerLimit.from(async () => {
    const { limit } = await readStorage();
    hadLimit ||= limit !== undefined;
    // The SDK would repeat a limit that the account no longer has.
    return hadLimit ? [{ value: limit ?? Number.NaN, labels: {} }] : [];
  });
  if (!readSpace) return;
  diskFree.from(async () => [{ value: (await readSpace()).free, labels: {} }]);
  diskSize.from(async () => [{ value: (await readSpace()).size, labels: {} }]);
}
