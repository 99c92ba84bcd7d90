import { ActionDialog } from '../parts/action-dialog.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Section } from './section.tsx';

type Props = { count: number; onCodes: (codes: readonly string[]) => void };

/** The number of unused recovery codes, and the way to new ones. */
export function RecoveryCodes({ count, onCodes }: Props) {
  const { t } = useTexts();
  return (
    <Section
      title={t('security.codes')}
      description={t('security.codesLeft', { left: String(count) })}
      action={
        <DialogButton
          text={t('security.codesMake')}
          dialog={(onClose) => (
            <ActionDialog
              operation="RecoveryCodes_Generate"
              request={{}}
              stale={['Factors_List']}
              title={t('security.codesMake')}
              action={t('security.codesMake')}
              onDone={({ Codes }) => {
                onClose();
                onCodes(Codes);
              }}
              onClose={onClose}
            >
              {t('security.codesMakeAbout')}
            </ActionDialog>
          )}
        />
      }
    >
      <SameByApi operation="RecoveryCodes_Generate" request={{}} />
    </Section>
  );
}
