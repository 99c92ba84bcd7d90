import assert from 'node:assert/strict';
import { bodyOf, recordIn } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';

const weakKey =
  '<md:KeyDescriptor><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>AAAA</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>';

/** Asserts that the provider and its test name a certificate of metadata that is left out. */
export async function assertLeftOut(
  stack: Stack,
  { token }: { token: string },
  { Tenant, MetadataXML }: { Tenant: string; MetadataXML: string },
): Promise<void> {
  const weak = MetadataXML.replace('<md:SingleSignOnService', `${weakKey}$&`);
  const request = { Provider: { Tenant, Kind: 'saml', Name: 'weak' }, MetadataXML: weak };
  const saved = recordIn(await stack.call('Sso_SaveProvider', request, token), 'Provider');
  const { ID, LastWarning } = saved as { ID: string; LastWarning: string };
  assert.match(LastWarning, /^CERTIFICATES_LEFT_OUT: .* contains no certificate/);
  // It stays in a save without metadata, also under another name, and comes back with the metadata.
  const warned = async (changes: object) => {
    const again = { ...changes, Provider: { Tenant, ID, Name: 'weaker' } };
    const answer = recordIn(await stack.call('Sso_SaveProvider', again, token), 'Provider');
    return (answer as { LastWarning: string }).LastWarning;
  };
  assert.equal(await warned({}), LastWarning);
  assert.equal(await warned({ MetadataXML }), '');
  assert.equal(await warned({ MetadataXML: weak }), LastWarning);
  const tested = bodyOf(await stack.call('Sso_TestProvider', { Tenant, ID }, token));
  const { Findings } = tested as unknown as { Findings: Array<{ Level: string; Message: string }> };
  assert.ok(Findings.some(({ Level, Message }) => Level === 'warning' && /left out/.test(Message)));
}
