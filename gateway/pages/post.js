// Not form.submit(): a form field named "submit" would shadow it.
document.querySelector('button')?.click();
