import { useState } from 'react';
import { useCall, useChange } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Page } from '../parts/page.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Apps } from './authenticator-apps.tsx';
import { Identities } from './identities.tsx';
import { Passkeys } from './passkeys.tsx';
import { Password } from './password.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/** The user's own ways to sign in. */
export function SecurityPage() {
  const { t } = useTexts();
  const factors = useCall('Factors_List', {});
  const { codes, setCodes, makeFirstCodes, failure } = useFirstCodes();
  return (
    <Page title={t('security.title')} description={t('security.about')}>
      <FailureNotice error={factors.error} onRetry={() => void factors.refetch()} />
      <FailureNotice error={failure} />
      <Password />
      <Passkeys onAdded={makeFirstCodes} />
      <Apps factors={factors.data?.Factors} onAdded={makeFirstCodes} />
      {factors.data && factors.data.Factors.length > 0 && (
        <RecoveryCodes count={factors.data.RecoveryCodesLeft} onCodes={setCodes} />
      )}
      <Identities />
      {codes && (
        <ShownOnce
          title={t('security.codes')}
          secret={codes.join('\n')}
          fileName="recovery-codes.txt"
          onClose={() => setCodes(undefined)}
        >
          {t('security.codesAbout')}
        </ShownOnce>
      )}
    </Page>
  );
}

/** Makes recovery codes with the first factor: without them, a lost device locks the user out. */
function useFirstCodes() {
  const [codes, setCodes] = useState<readonly string[]>();
  const list = useCall('Factors_List', {});
  const make = useChange('RecoveryCodes_Generate', { stale: ['Factors_List'] });
  async function makeFirstCodes() {
    const { data } = await list.refetch();
    if (data?.RecoveryCodesLeft === 0)
      make.mutate({}, { onSuccess: ({ Codes }) => setCodes(Codes) });
  }
  return { codes, setCodes, makeFirstCodes: () => void makeFirstCodes(), failure: make.error };
}
