import { Alert, Textarea, type TextareaProps } from '@mantine/core';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';

type Props = TextareaProps & {
  /** Who gets the reason by mail. */
  notice: string;
};

/** Who gets a mail about an act. */
export const MailNotice = ({ children }: { children: string }) => (
  <Alert color="orange" icon={<Icon name="mail" />}>
    {children}
  </Alert>
);

/** Why an operator acts, and who learns it. */
export function ReasonFields({ notice, ...input }: Props) {
  const { t } = useTexts();
  return (
    <>
      <MailNotice>{notice}</MailNotice>
      <Textarea
        label={t('support.reason')}
        description={t('support.reasonAbout')}
        {...input}
        maxLength={500}
        autosize
        minRows={2}
        data-autofocus
      />
    </>
  );
}
