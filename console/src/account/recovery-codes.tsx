import { Button } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../parts/calls.ts';
import { Confirm } from '../parts/confirm.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Section } from './section.tsx';

type Props = { left: number; onCodes: (codes: readonly string[]) => void };

/** The number of unused recovery codes, and the way to new ones. */
export function RecoveryCodes({ left, onCodes }: Props) {
  const { t } = useTexts();
  const [isAsked, setAsked] = useState(false);
  const change = useChange('RecoveryCodes_Generate', { stale: ['Factors_List'] });
  const onSuccess = ({ Codes }: { Codes: readonly string[] }) => {
    setAsked(false);
    onCodes(Codes);
  };
  return (
    <Section
      title={t('security.codes')}
      about={t('security.codesLeft', { left: String(left) })}
      action={
        <Button variant="default" onClick={() => setAsked(true)}>
          {t('security.codesMake')}
        </Button>
      }
    >
      <SameByApi operation="RecoveryCodes_Generate" request={{}} />
      {isAsked && (
        <Confirm
          title={t('security.codesMake')}
          action={t('security.codesMake')}
          isBusy={change.isPending}
          error={change.error}
          onConfirm={() => change.mutate({}, { onSuccess })}
          onClose={() => setAsked(false)}
        >
          {t('security.codesMakeAbout')}
        </Confirm>
      )}
    </Section>
  );
}
