import type { Settings, SettingTable } from '@bailiwick/process';
import { parseProxy } from './proxy.ts';
import { egressRules } from './rules.ts';

/** For processes that call addresses that tenants choose. */
export const egressSettings = {
  egressAllowHosts: {
    env: 'BAILIWICK_EGRESS_ALLOW_HOSTS',
    kind: 'list',
    fallback: '',
    about:
      'Host names and addresses of receivers that bypass the egress guard, including its rules for plain http and ports; user names and passwords in a URL are still rejected. For receivers inside the cluster; otherwise leave it empty.',
  },
  egressAllowCidrs: {
    env: 'BAILIWICK_EGRESS_ALLOW_CIDRS',
    kind: 'list',
    fallback: '',
    check: (cidrs: string[]) => egressRules({ hosts: [], cidrs, ports: [] }),
    about: 'Networks of receivers that bypass the egress guard.',
  },
  egressPorts: {
    env: 'BAILIWICK_EGRESS_PORTS',
    kind: 'list',
    fallback: '',
    check: (ports: string[]) => egressRules({ hosts: [], cidrs: [], ports }),
    about: 'Ports that receivers may use besides 443 and 8443.',
  },
  egressResolver: {
    env: 'BAILIWICK_EGRESS_RESOLVER',
    kind: 'text',
    fallback: '',
    check: (resolver: string) => egressRules({ hosts: [], cidrs: [], ports: [], resolver }),
    about:
      "The DNS server for receivers' host names, such as 10.0.0.10:53. Empty = the host's own resolver.",
  },
  egressProxyUrl: {
    env: 'BAILIWICK_EGRESS_PROXY_URL',
    kind: 'text',
    fallback: '',
    check: (url: string) => url === '' || parseProxy(url),
    about:
      'An HTTP proxy for all requests to receivers, http://user:password@host:port. It must support CONNECT to the checked address. Empty = no proxy.',
  },
} as const satisfies SettingTable;

/** The rules of the egress guard for these settings. */
export const egressRulesOf = ({
  egressAllowHosts: hosts,
  egressAllowCidrs: cidrs,
  egressPorts: ports,
  egressResolver: resolver,
}: Settings<typeof egressSettings>) => egressRules({ hosts, cidrs, ports, resolver });
