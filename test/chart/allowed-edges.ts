// All allowed connections in one table. The policies deny all others.

export const common = ['any:53/UDP', 'any:53'];
export const database = 'any:5432';
export const nats = 'any:4222';
export const receivers = ['public:443', 'public:8443'];
export const mail = ['any:25', 'any:465', 'any:587'];

/** Over HTTP and over gRPC. */
export const calls = (...names: string[]) =>
  names.flatMap((name) => [`${name}:8080`, `${name}:8081`]);

/** The egress edges of each component, besides the common ones. */
export const allowedEdges: Record<string, readonly string[]> = {
  gateway: [...calls('identity', 'access', 'sso', 'notifications-api'), nats],
  identity: [...calls('access', 'sso'), database, nats],
  access: [...calls('identity'), database, nats],
  sso: [...calls('identity', 'access'), database, nats, ...receivers],
  'notifications-api': [...calls('access', 'sso'), database, nats, ...receivers, ...mail],
  'notifications-delivery': [...calls('access', 'sso'), database, nats, ...receivers],
  'notifications-email': [...calls('access', 'sso'), database, nats, ...mail],
  migrations: [database],
  test: ['gateway:8080', 'gateway:9464'],
};
