import { readFileSync } from 'node:fs';
import { oneOf, type Settings, type SettingTable } from '@bailiwick/process';
import { createRingService, type KeyService, withFallback } from './key-service.ts';
import { type KeyRing, parseKeyRing } from './seal.ts';
import { createVaultService, isVaultKek } from './vault.ts';
import { createVaultCalls } from './vault-calls.ts';
import { tokenFromFile, tokenFromKubernetes } from './vault-token.ts';

const pathSegment = (text: string) => {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*(\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/.test(text))
    throw new Error('must be a name, or names joined by /');
};

/** The file of the key ring. */
export const keyRingSettings = {
  keyRing: {
    env: 'BAILIWICK_KEY_RING_FILE',
    kind: 'file',
    check: parseKeyRing,
    about:
      'File with the key-encryption keys, one per line as id:base64 of 32 bytes. The first key encrypts, all keys decrypt. Reloaded when it changes. For the steps of a rotation see docs/keys.md.',
  },
} as const satisfies SettingTable;

/** The key service: where the key-encryption keys that wrap the data keys are. */
export const keyServiceSettings = {
  keyService: {
    env: 'BAILIWICK_KEY_SERVICE',
    kind: 'text',
    fallback: 'ring',
    check: oneOf('ring', 'vault'),
    about:
      "The key service that wraps the tenants' data keys: ring (the first key of the key ring) or vault (a key in the transit engine of HashiCorp Vault). See docs/keys.md.",
  },
  vaultUrl: {
    env: 'BAILIWICK_VAULT_URL',
    kind: 'text',
    fallback: '',
    check: assertBase,
    about:
      'The URL of Vault, such as https://vault.example.com:8200. Required with vault; with ring it is used for data keys that Vault has wrapped before.',
  },
  vaultNamespace: {
    env: 'BAILIWICK_VAULT_NAMESPACE',
    kind: 'text',
    fallback: '',
    about: 'The Vault namespace. Empty = none.',
  },
  vaultTransitMount: {
    env: 'BAILIWICK_VAULT_TRANSIT_MOUNT',
    kind: 'text',
    fallback: 'transit',
    check: pathSegment,
    about: 'The mount path of the transit engine in Vault.',
  },
  vaultTransitKey: {
    env: 'BAILIWICK_VAULT_TRANSIT_KEY',
    kind: 'text',
    fallback: 'bailiwick',
    check: pathSegment,
    about: 'The name of the key in the transit engine. Its type is aes256-gcm96.',
  },
  vaultCa: {
    env: 'BAILIWICK_VAULT_CA_FILE',
    kind: 'text',
    fallback: '',
    about: "File with the CA certificates (PEM) to trust for Vault instead of the system's.",
  },
  vaultToken: {
    env: 'BAILIWICK_VAULT_TOKEN_FILE',
    kind: 'text',
    fallback: '',
    about: 'File with the Vault token. Reloaded every minute, and when Vault rejects the token.',
  },
  vaultKubernetesRole: {
    env: 'BAILIWICK_VAULT_KUBERNETES_ROLE',
    kind: 'text',
    fallback: '',
    about:
      "The Vault role to sign in with, using the pod's service account instead of a token file.",
  },
  vaultKubernetesMount: {
    env: 'BAILIWICK_VAULT_KUBERNETES_MOUNT',
    kind: 'text',
    fallback: 'kubernetes',
    check: pathSegment,
    about: 'The mount path of the Kubernetes auth method in Vault.',
  },
  vaultKubernetesJwt: {
    env: 'BAILIWICK_VAULT_KUBERNETES_JWT_FILE',
    kind: 'text',
    fallback: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    about: "File with the token of the pod's service account.",
  },
} as const satisfies SettingTable;

function assertBase(text: string): void {
  if (text === '') return;
  const { protocol, username, password, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol))
    throw new Error('must begin with https:// (or http://, to an agent on the same machine)');
  if (username + password + search + hash !== '')
    throw new Error('must contain only a host, a port and a path');
}

/** Creates the key service without connecting. Throws if a setting is missing. */
export function openKeyService(
  settings: Settings<typeof keyServiceSettings>,
  ring: KeyRing,
): KeyService {
  const local = createRingService(ring);
  if (settings.vaultUrl === '') {
    if (settings.keyService === 'vault')
      throw new Error('BAILIWICK_VAULT_URL is required with BAILIWICK_KEY_SERVICE=vault');
    return local;
  }
  const vault = openVault(settings);
  return settings.keyService === 'vault'
    ? withFallback(vault, local, (kek) => !isVaultKek(kek))
    : withFallback(local, vault, isVaultKek);
}

function openVault(settings: Settings<typeof keyServiceSettings>): KeyService {
  const {
    vaultToken: file,
    vaultKubernetesRole: role,
    vaultKubernetesMount: mount,
    vaultKubernetesJwt: jwtFile,
  } = settings;
  if ((file === '') === (role === ''))
    throw new Error(
      'Vault needs one of BAILIWICK_VAULT_TOKEN_FILE and BAILIWICK_VAULT_KUBERNETES_ROLE',
    );
  const calls = createVaultCalls({
    url: settings.vaultUrl,
    namespace: settings.vaultNamespace,
    ca: settings.vaultCa === '' ? '' : readFileSync(settings.vaultCa, 'utf8'),
    token: role === '' ? tokenFromFile(file) : tokenFromKubernetes({ mount, role, jwtFile }),
  });
  return createVaultService({
    calls,
    mount: settings.vaultTransitMount,
    key: settings.vaultTransitKey,
  });
}
