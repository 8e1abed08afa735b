<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Amounts</name>
    <message numerus="yes">
        <source>%Ln file(s)</source>
        <translation>
            <numerusform>%Ln Datei</numerusform>
            <numerusform>%Ln Dateien</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln empty file(s)</source>
        <translation>
            <numerusform>%Ln leere Datei</numerusform>
            <numerusform>%Ln leere Dateien</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln Dokument</numerusform>
            <numerusform>%Ln Dokumente</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s)</source>
        <translation>
            <numerusform>%Ln Seite</numerusform>
            <numerusform>%Ln Seiten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage(s)</source>
        <translation>
            <numerusform>%Ln Stelle</numerusform>
            <numerusform>%Ln Stellen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln new passage(s)</source>
        <translation>
            <numerusform>%Ln neue Stelle</numerusform>
            <numerusform>%Ln neue Stellen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln with the phrase</source>
        <translation>
            <numerusform>%Ln mit der Wortfolge</numerusform>
            <numerusform>%Ln mit der Wortfolge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more in this document</source>
        <translation>
            <numerusform>%Ln weitere in diesem Dokument</numerusform>
            <numerusform>%Ln weitere in diesem Dokument</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more passage(s), further off</source>
        <translation>
            <numerusform>%Ln weitere, fernere Stelle</numerusform>
            <numerusform>%Ln weitere, fernere Stellen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more, nearly the same</source>
        <translation>
            <numerusform>%Ln weitere, fast dieselbe</numerusform>
            <numerusform>%Ln weitere, fast dieselben</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) waiting to be read</source>
        <translation>
            <numerusform>%Ln Datei wartet auf das Einlesen</numerusform>
            <numerusform>%Ln Dateien warten auf das Einlesen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln could not be read</source>
        <translation>
            <numerusform>%Ln nicht lesbar</numerusform>
            <numerusform>%Ln nicht lesbar</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) will be read again.</source>
        <translation>
            <numerusform>%Ln Datei wird noch einmal gelesen.</numerusform>
            <numerusform>%Ln Dateien werden noch einmal gelesen.</numerusform>
        </translation>
    </message>
    <message>
        <source>There is nothing to read again.</source>
        <translation>Es gibt nichts noch einmal zu lesen.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln language(s)</source>
        <translation>
            <numerusform>%Ln Sprache</numerusform>
            <numerusform>%Ln Sprachen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln minute(s)</source>
        <translation>
            <numerusform>etwa %Ln Minute</numerusform>
            <numerusform>etwa %Ln Minuten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln hour(s)</source>
        <translation>
            <numerusform>etwa %Ln Stunde</numerusform>
            <numerusform>etwa %Ln Stunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln day(s)</source>
        <translation>
            <numerusform>etwa %Ln Tag</numerusform>
            <numerusform>etwa %Ln Tage</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AttentionList</name>
    <message numerus="yes">
        <source>%Ln file(s) need a password</source>
        <translation>
            <numerusform>%Ln Datei braucht ein Passwort</numerusform>
            <numerusform>%Ln Dateien brauchen ein Passwort</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Unlock…</source>
        <translation>E&amp;ntsperren …</translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) stopped the engine and were set aside</source>
        <translation>
            <numerusform>%Ln Datei hat die Suchmaschine abstürzen lassen und wurde beiseitegelegt</numerusform>
            <numerusform>%Ln Dateien haben die Suchmaschine abstürzen lassen und wurden beiseitegelegt</numerusform>
        </translation>
    </message>
    <message>
        <source>Show t&amp;hem</source>
        <translation>An&amp;zeigen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) could not be read</source>
        <translation>
            <numerusform>%Ln Datei konnte nicht gelesen werden</numerusform>
            <numerusform>%Ln Dateien konnten nicht gelesen werden</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Try again</source>
        <translation>Erneut &amp;versuchen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln folder(s) offline: the drive is not connected</source>
        <translation>
            <numerusform>%Ln Ordner offline: Das Laufwerk ist nicht angeschlossen</numerusform>
            <numerusform>%Ln Ordner offline: Das Laufwerk ist nicht angeschlossen</numerusform>
        </translation>
    </message>
    <message>
        <source>Changes in the folders wait: {why}</source>
        <translation>Änderungen in den Ordnern warten: {why}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) in {languages} are found by words only</source>
        <translation>
            <numerusform>%Ln Dokument in {languages} ist nur über Wörter zu finden</numerusform>
            <numerusform>%Ln Dokumente in {languages} sind nur über Wörter zu finden</numerusform>
        </translation>
    </message>
    <message>
        <source>Use the multil&amp;ingual model…</source>
        <translation>Mehrspr&amp;achiges Modell verwenden …</translation>
    </message>
</context>
<context>
    <name>BasketExport</name>
    <message>
        <source>Export the passages</source>
        <translation>Stellen exportieren</translation>
    </message>
    <message>
        <source>passages</source>
        <translation>Stellen</translation>
    </message>
    <message>
        <source>The passages are being exported…</source>
        <translation>Die Stellen werden exportiert …</translation>
    </message>
    <message>
        <source>None of the passages is on a page.</source>
        <translation>Keine der Stellen steht auf einer Seite.</translation>
    </message>
    <message>
        <source>This passage is no longer in the library; this is how it was read.</source>
        <translation>Diese Stelle ist nicht mehr in der Bibliothek; so wurde sie gelesen.</translation>
    </message>
    <message>
        <source>Collected passages</source>
        <translation>Gesammelte Stellen</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>Quellen</translation>
    </message>
    <message>
        <source>Note:</source>
        <translation>Notiz:</translation>
    </message>
    <message>
        <source>Open in Lectern</source>
        <translation>In Lectern öffnen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage(s) exported</source>
        <translation>
            <numerusform>%Ln Stelle exportiert</numerusform>
            <numerusform>%Ln Stellen exportiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln no longer in the library</source>
        <translation>
            <numerusform>%Ln nicht mehr in der Bibliothek</numerusform>
            <numerusform>%Ln nicht mehr in der Bibliothek</numerusform>
        </translation>
    </message>
    <message>
        <source>{done}; {rest}</source>
        <translation>{done}; {rest}</translation>
    </message>
</context>
<context>
    <name>BasketPage</name>
    <message>
        <source>By document</source>
        <translation>Nach Dokument</translation>
    </message>
    <message>
        <source>Order the passages by document and page</source>
        <translation>Die Stellen nach Dokument und Seite ordnen</translation>
    </message>
    <message>
        <source>Empty</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Restore the last ones</source>
        <translation>Letzte wiederherstellen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Basket</source>
        <translation>Korb</translation>
    </message>
    <message>
        <source>Passages</source>
        <translation>Stellen</translation>
    </message>
    <message>
        <source>Collect passages here over several searches: press Ctrl+B on a hit, or choose “Add to the basket” in its menu. Order them, write notes, and export them with their pages and sources.</source>
        <translation>Sammeln Sie hier Stellen aus mehreren Suchen: Drücken Sie Strg+B auf einem Treffer, oder wählen Sie „In den Korb legen“ in seinem Menü. Ordnen Sie sie, schreiben Sie Notizen dazu, und exportieren Sie sie mit Seiten und Quellen.</translation>
    </message>
    <message>
        <source>Their pages as one PDF…</source>
        <translation>Ihre Seiten als eine PDF-Datei …</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>The part with the passage</source>
        <translation>Der Teil mit der Stelle</translation>
    </message>
    <message>
        <source>Whole pages</source>
        <translation>Ganze Seiten</translation>
    </message>
    <message>
        <source>No pictures</source>
        <translation>Keine Bilder</translation>
    </message>
    <message>
        <source>Sources only</source>
        <translation>Nur die Quellen</translation>
    </message>
    <message>
        <source>{passages} of {documents}</source>
        <translation>{passages}, {documents}</translation>
    </message>
    <message>
        <source>The passage was taken out</source>
        <translation>Die Stelle wurde herausgenommen</translation>
    </message>
    <message>
        <source>The note was changed</source>
        <translation>Die Notiz wurde geändert</translation>
    </message>
    <message>
        <source>The passage was moved</source>
        <translation>Die Stelle wurde verschoben</translation>
    </message>
    <message>
        <source>All passages were taken out</source>
        <translation>Alle Stellen wurden herausgenommen</translation>
    </message>
    <message>
        <source>The passages are in the order of their documents</source>
        <translation>Die Stellen stehen nun in der Reihenfolge ihrer Dokumente</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Move up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>Nach unten</translation>
    </message>
    <message>
        <source>Show on its page</source>
        <translation>Auf ihrer Seite zeigen</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Copy with citation</source>
        <translation>Mit Quellenangabe kopieren</translation>
    </message>
    <message>
        <source>Take out of the basket</source>
        <translation>Aus dem Korb nehmen</translation>
    </message>
    <message>
        <source>{number}: {title}. {passage}</source>
        <translation>{number}: {title}. {passage}</translation>
    </message>
    <message>
        <source>Note on passage {number}</source>
        <translation>Notiz zu Stelle {number}</translation>
    </message>
    <message>
        <source>{action}: passage {number}</source>
        <translation>{action}: Stelle {number}</translation>
    </message>
</context>
<context>
    <name>Chip</name>
    <message>
        <source>Filter {name}</source>
        <translation>Filter {name}</translation>
    </message>
    <message>
        <source>Press Delete to remove it</source>
        <translation>Mit Entf entfernen</translation>
    </message>
    <message>
        <source>Remove “{name}” (Del)</source>
        <translation>„{name}“ entfernen (Entf)</translation>
    </message>
    <message>
        <source>Remove this filter</source>
        <translation>Diesen Filter entfernen</translation>
    </message>
    <message>
        <source>not {value}</source>
        <translation>nicht {value}</translation>
    </message>
    <message>
        <source>In: {value}</source>
        <translation>In: {value}</translation>
    </message>
    <message>
        <source>Type: {value}</source>
        <translation>Art: {value}</translation>
    </message>
    <message>
        <source>Date: {value}</source>
        <translation>Datum: {value}</translation>
    </message>
    <message>
        <source>From: {value}</source>
        <translation>Ab: {value}</translation>
    </message>
    <message>
        <source>Before: {value}</source>
        <translation>Vor: {value}</translation>
    </message>
    <message>
        <source>Size: {value}</source>
        <translation>Größe: {value}</translation>
    </message>
    <message>
        <source>Title: {value}</source>
        <translation>Titel: {value}</translation>
    </message>
    <message>
        <source>Author: {value}</source>
        <translation>Autor: {value}</translation>
    </message>
    <message>
        <source>Language: {value}</source>
        <translation>Sprache: {value}</translation>
    </message>
    <message>
        <source>Page: {value}</source>
        <translation>Seite: {value}</translation>
    </message>
    <message>
        <source>Like: {value}</source>
        <translation>Ähnlich: {value}</translation>
    </message>
    <message>
        <source>{pages} of {value}</source>
        <translation>{pages} in {value}</translation>
    </message>
    <message>
        <source>Like a passage of {value}</source>
        <translation>Ähnlich einer Stelle aus {value}</translation>
    </message>
</context>
<context>
    <name>ChipBar</name>
    <message>
        <source>Filters</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtern</translation>
    </message>
    <message>
        <source>Narrow by folder, type, year or language</source>
        <translation>Nach Ordner, Art, Jahr oder Sprache eingrenzen</translation>
    </message>
    <message>
        <source>Clear all</source>
        <translation>Alle entfernen</translation>
    </message>
</context>
<context>
    <name>ChoiceOrText</name>
    <message>
        <source>Other…</source>
        <translation>Anderes …</translation>
    </message>
</context>
<context>
    <name>CitationCopier</name>
    <message>
        <source>Passage and citation copied</source>
        <translation>Stelle mit Quellenangabe kopiert</translation>
    </message>
</context>
<context>
    <name>Collections</name>
    <message>
        <source>New collection</source>
        <translation>Neue Sammlung</translation>
    </message>
    <message>
        <source>Name of the collection:</source>
        <translation>Name der Sammlung:</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>It is in “{name}” already</source>
        <translation>Es ist schon in „{name}“</translation>
    </message>
    <message>
        <source>Added to “{name}”</source>
        <translation>In „{name}“ aufgenommen</translation>
    </message>
    <message>
        <source>The collection “{name}” was removed</source>
        <translation>Die Sammlung „{name}“ wurde entfernt</translation>
    </message>
    <message>
        <source>“{name}” is a collection now</source>
        <translation>„{name}“ ist jetzt eine Sammlung</translation>
    </message>
</context>
<context>
    <name>ComparePage</name>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Statements that differ</source>
        <translation>Aussagen, die sich unterscheiden</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>The documents are being compared…</source>
        <translation>Die Dokumente werden verglichen …</translation>
    </message>
    <message>
        <source>Only in {name}: {count}</source>
        <translation>Nur in {name}: {count}</translation>
    </message>
    <message>
        <source>Changed: {count}</source>
        <translation>Geändert: {count}</translation>
    </message>
    <message>
        <source>Export the comparison</source>
        <translation>Den Vergleich exportieren</translation>
    </message>
    <message>
        <source>The comparison was exported</source>
        <translation>Der Vergleich wurde exportiert</translation>
    </message>
    <message>
        <source>Compared by their words: their meaning is still being read.</source>
        <translation>Nach ihren Wörtern verglichen: Ihre Bedeutung wird noch gelesen.</translation>
    </message>
    <message>
        <source>Both say the same.</source>
        <translation>Beide sagen dasselbe.</translation>
    </message>
    <message>
        <source>The most different statements of each part are shown.</source>
        <translation>Von jedem Teil werden die Aussagen gezeigt, die sich am meisten unterscheiden.</translation>
    </message>
    <message>
        <source>Nearest: {place}</source>
        <translation>Am nächsten: {place}</translation>
    </message>
</context>
<context>
    <name>ConfirmViewer</name>
    <message>
        <source>The setting “Viewer” was changed. Open documents with this command?</source>
        <translation>Die Einstellung „Anzeigeprogramm“ wurde geändert. Dokumente mit diesem Befehl öffnen?</translation>
    </message>
</context>
<context>
    <name>Confirmation</name>
    <message>
        <source>&amp;Not now</source>
        <translation>&amp;Nicht jetzt</translation>
    </message>
</context>
<context>
    <name>CorrectionForm</name>
    <message>
        <source>Title:</source>
        <translation>Titel:</translation>
    </message>
    <message>
        <source>Author:</source>
        <translation>Autor:</translation>
    </message>
    <message>
        <source>Year:</source>
        <translation>Jahr:</translation>
    </message>
    <message>
        <source>Last, First; Last, First</source>
        <translation>Nachname, Vorname; Nachname, Vorname</translation>
    </message>
    <message>
        <source>Sa&amp;ve</source>
        <translation>&amp;Speichern</translation>
    </message>
</context>
<context>
    <name>Desktop</name>
    <message>
        <source>{name} is no longer where it was.</source>
        <translation>{name} ist nicht mehr dort, wo es war.</translation>
    </message>
    <message>
        <source>{name} is shown in its folder, because opening it could run it.</source>
        <translation>{name} wird im Ordner gezeigt, weil das Öffnen es ausführen könnte.</translation>
    </message>
    <message>
        <source>No program could open {name}.</source>
        <translation>Kein Programm konnte {name} öffnen.</translation>
    </message>
</context>
<context>
    <name>DocumentPane</name>
    <message>
        <source>The document is not on this computer.</source>
        <translation>Das Dokument ist nicht auf diesem Computer.</translation>
    </message>
    <message>
        <source>The library was published without its documents, but with their text.</source>
        <translation>Die Bibliothek wurde ohne ihre Dokumente veröffentlicht, aber mit deren Text.</translation>
    </message>
    <message>
        <source>The file is no longer where it was.</source>
        <translation>Die Datei ist nicht mehr, wo sie war.</translation>
    </message>
    <message>
        <source>It may have been moved, renamed or deleted.</source>
        <translation>Sie wurde vielleicht verschoben, umbenannt oder gelöscht.</translation>
    </message>
    <message>
        <source>The passage, as it was read</source>
        <translation>Die Stelle, wie sie gelesen wurde</translation>
    </message>
    <message>
        <source>Enter the password to see the page.</source>
        <translation>Geben Sie das Passwort ein, um die Seite zu sehen.</translation>
    </message>
</context>
<context>
    <name>DocumentSide</name>
    <message>
        <source>Select a difference to see it in both documents.</source>
        <translation>Wählen Sie einen Unterschied, um ihn in beiden Dokumenten zu sehen.</translation>
    </message>
</context>
<context>
    <name>DoorsPage</name>
    <message>
        <source>Nothing has been asked, or the log is off.</source>
        <translation>Es wurde nichts gefragt, oder das Protokoll ist abgeschaltet.</translation>
    </message>
    <message>
        <source>Choose which collections each program may see:</source>
        <translation>Wählen Sie, welche Sammlungen jedes Programm sehen darf:</translation>
    </message>
    <message>
        <source>What was asked:</source>
        <translation>Was gefragt wurde:</translation>
    </message>
    <message>
        <source>The whole library</source>
        <translation>Die ganze Bibliothek</translation>
    </message>
    <message>
        <source>Collections that other programs may see</source>
        <translation>Sammlungen, die andere Programme sehen dürfen</translation>
    </message>
    <message>
        <source>What other programs asked</source>
        <translation>Was andere Programme gefragt haben</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>Who</source>
        <translation>Wer</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
</context>
<context>
    <name>EncryptionCard</name>
    <message>
        <source>Encryption of the library</source>
        <translation>Verschlüsselung der Bibliothek</translation>
    </message>
    <message>
        <source>&amp;Encrypt…</source>
        <translation>&amp;Verschlüsseln …</translation>
    </message>
    <message>
        <source>Dec&amp;rypt…</source>
        <translation>&amp;Entschlüsseln …</translation>
    </message>
    <message>
        <source>&amp;Lock and quit</source>
        <translation>&amp;Sperren und beenden</translation>
    </message>
    <message>
        <source>Encrypted. It is locked when Lectern ends, after a time without use, and before this computer sleeps.</source>
        <translation>Verschlüsselt. Sie wird gesperrt, wenn Lectern endet, nach einer Zeit ohne Benutzung und bevor dieser Computer in den Ruhezustand geht.</translation>
    </message>
    <message>
        <source>The keyring of this system unlocks it.</source>
        <translation>Der Schlüsselbund dieses Systems entsperrt sie.</translation>
    </message>
    <message>
        <source>Lectern cannot encrypt it here: {reason}.</source>
        <translation>Lectern kann sie hier nicht verschlüsseln: {reason}.</translation>
    </message>
    <message>
        <source>Not encrypted by Lectern. All that it keeps of your documents can be, by a passphrase; the documents themselves stay as they are.</source>
        <translation>Nicht von Lectern verschlüsselt. Alles, was es von Ihren Dokumenten aufbewahrt, kann mit einer Passphrase verschlüsselt werden; die Dokumente selbst bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>Whether this system encrypts its disk is not known to Lectern; its settings tell (BitLocker or Device encryption on Windows, FileVault on macOS).</source>
        <translation>Ob dieses System seinen Datenträger verschlüsselt, weiß Lectern nicht; seine Einstellungen sagen es (BitLocker oder Geräteverschlüsselung unter Windows, FileVault unter macOS).</translation>
    </message>
    <message>
        <source>This system encrypts the disk of the library.</source>
        <translation>Dieses System verschlüsselt den Datenträger der Bibliothek.</translation>
    </message>
    <message>
        <source>No encryption of the disk was found.</source>
        <translation>Es wurde keine Verschlüsselung des Datenträgers gefunden.</translation>
    </message>
    <message>
        <source>Lectern closes, encrypts the library and opens again. Without the passphrase nobody can open it, you neither.</source>
        <translation>Lectern schließt sich, verschlüsselt die Bibliothek und öffnet sich wieder. Ohne die Passphrase kann niemand sie öffnen, auch Sie nicht.</translation>
    </message>
    <message>
        <source>Lectern closes, decrypts the library and opens again.</source>
        <translation>Lectern schließt sich, entschlüsselt die Bibliothek und öffnet sich wieder.</translation>
    </message>
</context>
<context>
    <name>EstimateCard</name>
    <message>
        <source>Estimate</source>
        <translation>Schätzung</translation>
    </message>
    <message>
        <source>Counting</source>
        <translation>Zählt</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>&amp;Starten</translation>
    </message>
    <message>
        <source>Cance&amp;l</source>
        <translation>A&amp;bbrechen</translation>
    </message>
    <message>
        <source>Counting files. Nothing is read yet.</source>
        <translation>Zählt Dateien. Gelesen wird noch nichts.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln folders or files</source>
        <translation>
            <numerusform>%Ln Ordner oder Datei</numerusform>
            <numerusform>%Ln Ordner oder Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>The engine is starting; this is counted in a moment.</source>
        <translation>Die Suchmaschine startet; gleich wird gezählt.</translation>
    </message>
    <message>
        <source>{files} ({size}), about {pages}</source>
        <translation>{files} ({size}), etwa {pages}</translation>
    </message>
    <message>
        <source>To read:</source>
        <translation>Zu lesen:</translation>
    </message>
    <message>
        <source>Kinds:</source>
        <translation>Arten:</translation>
    </message>
    <message>
        <source>Found by words:</source>
        <translation>Bis zur Wortsuche:</translation>
    </message>
    <message>
        <source>in {time}</source>
        <translation>{time}</translation>
    </message>
    <message>
        <source>Found by meaning:</source>
        <translation>Bis zur Sinnsuche:</translation>
    </message>
    <message>
        <source>Skipped:</source>
        <translation>Übersprungen:</translation>
    </message>
    <message>
        <source>Known already:</source>
        <translation>Schon bekannt:</translation>
    </message>
    <message>
        <source>Everything in it has been read already.</source>
        <translation>Alles darin ist schon gelesen.</translation>
    </message>
    <message>
        <source>There is nothing in it that Lectern can read.</source>
        <translation>Darin ist nichts, was Lectern lesen kann.</translation>
    </message>
    <message>
        <source>A first estimate of the time; it improves once this computer’s speed is known.</source>
        <translation>Die Zeit ist eine erste Schätzung; sie wird besser, sobald dieser Rechner bekannt ist.</translation>
    </message>
</context>
<context>
    <name>Export</name>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>{file} could not be written: {reason}.</source>
        <translation>{file} konnte nicht geschrieben werden: {reason}.</translation>
    </message>
</context>
<context>
    <name>FacetPanel</name>
    <message>
        <source>Filters</source>
        <translation>Filter</translation>
    </message>
</context>
<context>
    <name>Facets</name>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Collection</source>
        <translation>Sammlung</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Year</source>
        <translation>Jahr</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
</context>
<context>
    <name>FileActions</name>
    <message>
        <source>&amp;Retry</source>
        <translation>&amp;Erneut lesen</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>&amp;Öffnen</translation>
    </message>
    <message>
        <source>&amp;Show in folder</source>
        <translation>Im Ordner &amp;zeigen</translation>
    </message>
    <message>
        <source>&amp;Copy path</source>
        <translation>Pfad &amp;kopieren</translation>
    </message>
    <message>
        <source>Co&amp;mpare</source>
        <translation>&amp;Vergleichen</translation>
    </message>
    <message>
        <source>&amp;Leave out</source>
        <translation>Aus&amp;lassen</translation>
    </message>
    <message>
        <source>{file} is corrected.</source>
        <translation>{file} ist korrigiert.</translation>
    </message>
    <message>
        <source>{what} ({key})</source>
        <translation>{what} ({key})</translation>
    </message>
    <message>
        <source>The keyring refused the password of {file}.</source>
        <translation>Der Schlüsselbund hat das Passwort von {file} nicht angenommen.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln path(s) copied.</source>
        <translation>
            <numerusform>%Ln Pfad kopiert.</numerusform>
            <numerusform>%Ln Pfade kopiert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) left out.</source>
        <translation>
            <numerusform>%Ln Datei ausgelassen.</numerusform>
            <numerusform>%Ln Dateien ausgelassen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FileDetails</name>
    <message>
        <source>About the chosen file</source>
        <translation>Über die gewählte Datei</translation>
    </message>
    <message>
        <source>&amp;Correct title and author…</source>
        <translation>Titel und Autor &amp;korrigieren …</translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) chosen, {size}</source>
        <translation>
            <numerusform>%Ln Datei gewählt, {size}</numerusform>
            <numerusform>%Ln Dateien gewählt, {size}</numerusform>
        </translation>
    </message>
    <message>
        <source>Wrong password. Try again; passwords are case-sensitive.</source>
        <translation>Falsches Passwort. Versuchen Sie es erneut; Groß- und Kleinschreibung zählt.</translation>
    </message>
    <message>
        <source>The document is unlocked and will be read.</source>
        <translation>Das Dokument ist geöffnet und wird gelesen.</translation>
    </message>
</context>
<context>
    <name>FileModel</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Modified</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Title or subject</source>
        <translation>Titel oder Betreff</translation>
    </message>
    <message>
        <source>Author</source>
        <translation>Autor</translation>
    </message>
</context>
<context>
    <name>FileTable</name>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>What to do with these files</source>
        <translation>Was mit diesen Dateien geschehen soll</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this document</source>
        <translation>In diesem Dokument finden</translation>
    </message>
    <message>
        <source>Previous place (Shift+F3)</source>
        <translation>Vorige Fundstelle (Umschalt+F3)</translation>
    </message>
    <message>
        <source>Next place (F3)</source>
        <translation>Nächste Fundstelle (F3)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>Schließen (Esc)</translation>
    </message>
    <message>
        <source>Places</source>
        <translation>Fundorte</translation>
    </message>
</context>
<context>
    <name>Finder</name>
    <message>
        <source>{n} of {total}</source>
        <translation>{n} von {total}</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
</context>
<context>
    <name>FirstPage</name>
    <message>
        <source>First page</source>
        <translation>Erste Seite</translation>
    </message>
</context>
<context>
    <name>FirstRun</name>
    <message>
        <source>First steps</source>
        <translation>Erste Schritte</translation>
    </message>
    <message>
        <source>Find the passage that answers your question</source>
        <translation>Finden Sie die Stelle, die Ihre Frage beantwortet</translation>
    </message>
    <message>
        <source>Your documents are being read</source>
        <translation>Ihre Dokumente werden gelesen</translation>
    </message>
    <message>
        <source>Choose the folders with your documents. They are read on this computer, nothing leaves it, and no file is ever changed. They may be in any of about a hundred languages; the first documents decide which language model is used.</source>
        <translation>Wählen Sie die Ordner mit Ihren Dokumenten. Sie werden auf diesem Rechner gelesen; nichts verlässt ihn, und keine Datei wird je geändert. Etwa hundert Sprachen sind möglich; die ersten Dokumente entscheiden, welches Sprachmodell verwendet wird.</translation>
    </message>
    <message>
        <source>Each can be searched in a moment: by its words at once, by its meaning soon after.</source>
        <translation>Jedes lässt sich gleich durchsuchen: nach seinen Wörtern sofort, nach seinem Sinn bald danach.</translation>
    </message>
    <message>
        <source>&amp;Open search</source>
        <translation>Suche ö&amp;ffnen</translation>
    </message>
    <message>
        <source>This is an example from your documents. Ask your own question in the box; more is read every second.</source>
        <translation>Dies ist ein Beispiel aus Ihren Dokumenten. Fragen Sie im Suchfeld, was Sie wissen möchten; jede Sekunde wird mehr gelesen.</translation>
    </message>
</context>
<context>
    <name>FolderChoice</name>
    <message>
        <source>Folders to search</source>
        <translation>Ordner zum Durchsuchen</translation>
    </message>
    <message>
        <source>&amp;Add folder…</source>
        <translation>Ordner &amp;hinzufügen …</translation>
    </message>
    <message>
        <source>{name} ({path})</source>
        <translation>{name} ({path})</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>Ordner hinzufügen</translation>
    </message>
</context>
<context>
    <name>FolderTree</name>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>All folders</source>
        <translation>Alle Ordner</translation>
    </message>
    <message>
        <source>{files}, {size}</source>
        <translation>{files}, {size}</translation>
    </message>
    <message>
        <source>Changes are noticed at once</source>
        <translation>Änderungen werden sofort bemerkt</translation>
    </message>
    <message>
        <source>Checked for changes every few minutes: {reason}</source>
        <translation>Alle paar Minuten wird nach Änderungen gesehen: {reason}</translation>
    </message>
</context>
<context>
    <name>HelpWindow</name>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
</context>
<context>
    <name>Highlighter</name>
    <message>
        <source>The highlight has another colour</source>
        <translation>Die Markierung hat eine andere Farbe</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Note on the highlighted text:</source>
        <translation>Notiz zum markierten Text:</translation>
    </message>
    <message>
        <source>The note was changed</source>
        <translation>Die Notiz wurde geändert</translation>
    </message>
    <message>
        <source>The highlight was removed</source>
        <translation>Die Markierung wurde entfernt</translation>
    </message>
    <message>
        <source>This document has no highlights.</source>
        <translation>Dieses Dokument hat keine Markierungen.</translation>
    </message>
    <message>
        <source>Copy with highlights</source>
        <translation>Kopie mit Markierungen</translation>
    </message>
    <message>
        <source>{name} with highlights</source>
        <translation>{name} mit Markierungen</translation>
    </message>
    <message>
        <source>The document itself is not changed.</source>
        <translation>Das Dokument selbst wird nicht geändert.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln highlight(s) written into the copy</source>
        <translation>
            <numerusform>%Ln Markierung in die Kopie geschrieben</numerusform>
            <numerusform>%Ln Markierungen in die Kopie geschrieben</numerusform>
        </translation>
    </message>
    <message>
        <source>Highlighted</source>
        <translation>Markiert</translation>
    </message>
    <message>
        <source>Highlight</source>
        <translation>Markieren</translation>
    </message>
    <message>
        <source>Highlight, or remove the highlight</source>
        <translation>Markieren oder Markierung entfernen</translation>
    </message>
    <message>
        <source>Copy of the PDF…</source>
        <translation>Kopie der PDF-Datei …</translation>
    </message>
</context>
<context>
    <name>HitActions</name>
    <message>
        <source>What to do with this passage</source>
        <translation>Was mit dieser Stelle geschehen soll</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Show the words that count</source>
        <translation>Zeigen, welche Wörter zählen</translation>
    </message>
    <message>
        <source>Copy passage</source>
        <translation>Stelle kopieren</translation>
    </message>
    <message>
        <source>Copy with citation</source>
        <translation>Mit Quellenangabe kopieren</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Add to the basket</source>
        <translation>In den Korb legen</translation>
    </message>
    <message>
        <source>Find in document</source>
        <translation>Im Dokument suchen</translation>
    </message>
    <message>
        <source>Similar</source>
        <translation>Ähnliche Stellen</translation>
    </message>
    <message>
        <source>Said elsewhere</source>
        <translation>Anderswo gesagt</translation>
    </message>
    <message>
        <source>Add to a collection</source>
        <translation>In eine Sammlung aufnehmen</translation>
    </message>
    <message>
        <source>New collection…</source>
        <translation>Neue Sammlung …</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>Export the hits</source>
        <translation>Treffer exportieren</translation>
    </message>
    <message>
        <source>Passage copied</source>
        <translation>Stelle kopiert</translation>
    </message>
    <message>
        <source>Path copied</source>
        <translation>Pfad kopiert</translation>
    </message>
</context>
<context>
    <name>HitExporter</name>
    <message>
        <source>Export the hits</source>
        <translation>Treffer exportieren</translation>
    </message>
    <message>
        <source>hits</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>All hits are collected for the export…</source>
        <translation>Für den Export werden alle Treffer gesammelt …</translation>
    </message>
    <message>
        <source>The hits could not be exported. {reason}</source>
        <translation>Die Treffer konnten nicht exportiert werden. {reason}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) exported</source>
        <translation>
            <numerusform>%Ln Dokument exportiert</numerusform>
            <numerusform>%Ln Dokumente exportiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln without author and year left out</source>
        <translation>
            <numerusform>%Ln ohne Autor und Jahr ausgelassen</numerusform>
            <numerusform>%Ln ohne Autor und Jahr ausgelassen</numerusform>
        </translation>
    </message>
    <message>
        <source>{done}; {rest}</source>
        <translation>{done}; {rest}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln hit(s) exported</source>
        <translation>
            <numerusform>%Ln Treffer exportiert</numerusform>
            <numerusform>%Ln Treffer exportiert</numerusform>
        </translation>
    </message>
    <message>
        <source>{done}; there are more</source>
        <translation>{done}: die besten von mehr</translation>
    </message>
</context>
<context>
    <name>Hotkey</name>
    <message>
        <source>The system does not let Lectern listen for a hotkey.</source>
        <translation>Das System erlaubt Lectern keine globale Tastenkombination.</translation>
    </message>
    <message>
        <source>“{keys}” is not a hotkey. Try something like Ctrl+Alt+L.</source>
        <translation>„{keys}“ ist keine Tastenkombination. Versuchen Sie etwa Strg+Alt+L.</translation>
    </message>
    <message>
        <source>Another program has this hotkey. Choose another one.</source>
        <translation>Ein anderes Programm hat diese Tastenkombination. Wählen Sie eine andere.</translation>
    </message>
    <message>
        <source>Search with Lectern</source>
        <translation>Mit Lectern suchen</translation>
    </message>
    <message>
        <source>This desktop lets no program listen for keys, or it was declined. Set a key for the command “lectern” in the system’s keyboard settings instead.</source>
        <translation>Diese Arbeitsfläche lässt kein Programm auf Tasten hören, oder es wurde abgelehnt. Legen Sie stattdessen in den Tastatureinstellungen des Systems eine Taste für den Befehl „lectern“ fest.</translation>
    </message>
    <message>
        <source>macOS asks for your permission first: System Settings, Privacy &amp; Security, Accessibility. Allow Lectern there, then start it again.</source>
        <translation>macOS verlangt zuerst Ihre Erlaubnis: Systemeinstellungen, Datenschutz &amp; Sicherheit, Bedienungshilfen. Erlauben Sie Lectern dort und starten Sie es neu.</translation>
    </message>
</context>
<context>
    <name>LibraryPage</name>
    <message>
        <source>That is in the library already.</source>
        <translation>Das ist schon in der Bibliothek.</translation>
    </message>
    <message>
        <source>&amp;Add folder…</source>
        <translation>Ordner &amp;hinzufügen …</translation>
    </message>
    <message>
        <source>{what} ({key})</source>
        <translation>{what} ({key})</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>Ordner hinzufügen</translation>
    </message>
    <message>
        <source>More actions</source>
        <translation>Weitere Aktionen</translation>
    </message>
    <message>
        <source>Part of a name or path</source>
        <translation>Teil eines Namens oder Pfads</translation>
    </message>
    <message>
        <source>Show only files with this in their path</source>
        <translation>Nur Dateien zeigen, deren Pfad dies enthält</translation>
    </message>
    <message>
        <source>Files by state</source>
        <translation>Dateien nach Zustand</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>Alle Dateien</translation>
    </message>
    <message>
        <source>All folders</source>
        <translation>Alle Ordner</translation>
    </message>
    <message>
        <source>{size} on the disk, where {free} are free</source>
        <translation>{size} auf der Platte, auf der {free} frei sind</translation>
    </message>
    <message>
        <source>Text:</source>
        <translation>Text:</translation>
    </message>
    <message>
        <source>Languages:</source>
        <translation>Sprachen:</translation>
    </message>
    <message>
        <source>Model:</source>
        <translation>Modell:</translation>
    </message>
    <message>
        <source>Index:</source>
        <translation>Index:</translation>
    </message>
    <message>
        <source>{state} ({number})</source>
        <translation>{state} ({number})</translation>
    </message>
    <message>
        <source>No files yet. Drop folders or files here, or add them.</source>
        <translation>Noch keine Dateien. Ziehen Sie Ordner oder Dateien hierher, oder fügen Sie sie hinzu.</translation>
    </message>
    <message>
        <source>No file matches. Choose another name, state or folder.</source>
        <translation>Keine Datei passt. Wählen Sie einen anderen Namen, Zustand oder Ordner.</translation>
    </message>
    <message>
        <source>Add &amp;files…</source>
        <translation>&amp;Dateien hinzufügen …</translation>
    </message>
    <message>
        <source>Loo&amp;k for changes</source>
        <translation>Nach Ä&amp;nderungen sehen</translation>
    </message>
    <message>
        <source>&amp;Open folder</source>
        <translation>Ordner ö&amp;ffnen</translation>
    </message>
    <message>
        <source>&amp;Rescan folder</source>
        <translation>Ordner neu &amp;durchsuchen</translation>
    </message>
    <message>
        <source>&amp;Patterns of folder…</source>
        <translation>&amp;Muster des Ordners …</translation>
    </message>
    <message>
        <source>Re&amp;move folder</source>
        <translation>Ordner en&amp;tfernen</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>Dateien hinzufügen</translation>
    </message>
    <message>
        <source>Reading has begun. What is read can be searched at once.</source>
        <translation>Das Einlesen hat begonnen. Was gelesen ist, lässt sich sofort durchsuchen.</translation>
    </message>
    <message>
        <source>The patterns of {folder} were changed.</source>
        <translation>Die Muster von {folder} wurden geändert.</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Basket</source>
        <translation>Korb</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Highlights</source>
        <translation>Markierungen</translation>
    </message>
    <message>
        <source>Go to the search box</source>
        <translation>Zum Suchfeld</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>Show or hide the preview</source>
        <translation>Vorschau ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Pause reading, or go on</source>
        <translation>Einlesen anhalten oder fortsetzen</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <source>Quit Lectern</source>
        <translation>Lectern beenden</translation>
    </message>
</context>
<context>
    <name>MessageLine</name>
    <message>
        <source>About this search</source>
        <translation>Zu dieser Suche</translation>
    </message>
    <message>
        <source>The engine is starting; your search runs as soon as it is ready.</source>
        <translation>Die Suchmaschine startet; Ihre Suche beginnt, sobald sie bereit ist.</translation>
    </message>
</context>
<context>
    <name>MessagePane</name>
    <message>
        <source>Password</source>
        <translation>Passwort</translation>
    </message>
    <message>
        <source>Password of this document</source>
        <translation>Passwort dieses Dokuments</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>Entsperren</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>That password does not open it.</source>
        <translation>Dieses Passwort öffnet das Dokument nicht.</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>English</source>
        <translation>Englisch</translation>
    </message>
    <message>
        <source>Many languages</source>
        <translation>Viele Sprachen</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>In Gebrauch</translation>
    </message>
    <message>
        <source>Use…</source>
        <translation>Verwenden …</translation>
    </message>
</context>
<context>
    <name>ModelFacts</name>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>Languages:</source>
        <translation>Sprachen:</translation>
    </message>
    <message>
        <source>Licence:</source>
        <translation>Lizenz:</translation>
    </message>
    <message>
        <source>From:</source>
        <translation>Von:</translation>
    </message>
    <message>
        <source>Size on disk:</source>
        <translation>Größe auf dem Laufwerk:</translation>
    </message>
    <message>
        <source>comes with Lectern</source>
        <translation>kommt mit Lectern</translation>
    </message>
</context>
<context>
    <name>ModelList</name>
    <message>
        <source>Language models</source>
        <translation>Sprachmodelle</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>not installed</source>
        <translation>nicht installiert</translation>
    </message>
    <message>
        <source>installed</source>
        <translation>installiert</translation>
    </message>
</context>
<context>
    <name>ModelOffer</name>
    <message>
        <source>Use the &amp;multilingual model</source>
        <translation>Das &amp;mehrsprachige Modell verwenden</translation>
    </message>
    <message>
        <source>Your library is understood in few languages only. Understand about 100: {time}.</source>
        <translation>Ihre Bibliothek wird nur in wenigen Sprachen verstanden. Etwa 100 verstehen: {time}.</translation>
    </message>
    <message>
        <source>The model is being prepared; the library shows how far it is.</source>
        <translation>Das Modell wird vorbereitet; die Bibliothek zeigt, wie weit es ist.</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>&amp;Get…</source>
        <translation>&amp;Holen …</translation>
    </message>
    <message>
        <source>&amp;Use…</source>
        <translation>&amp;Verwenden …</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>&amp;Other models…</source>
        <translation>&amp;Andere Modelle …</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>{model} is fetched from {address}. Its licence: {licence}.</source>
        <translation>{model} wird von {address} geholt. Seine Lizenz: {licence}.</translation>
    </message>
    <message>
        <source>Stopped. What was downloaded is kept for the next time.</source>
        <translation>Angehalten. Was heruntergeladen wurde, bleibt für das nächste Mal.</translation>
    </message>
    <message>
        <source>{model} is installed. Your documents still use the previous one.</source>
        <translation>{model} ist installiert. Ihre Dokumente verwenden noch das vorige Modell.</translation>
    </message>
    <message>
        <source>Its licence: {licence}.</source>
        <translation>Seine Lizenz: {licence}.</translation>
    </message>
    <message>
        <source>{model} is being prepared; the library shows how far it is.</source>
        <translation>{model} wird vorbereitet; die Bibliothek zeigt, wie weit es ist.</translation>
    </message>
    <message>
        <source>&amp;Get it</source>
        <translation>&amp;Holen</translation>
    </message>
    <message>
        <source>A language model reads your documents and questions for their meaning, on this computer. Most people need only those that come with Lectern; others are fetched from huggingface.co when you ask for one.</source>
        <translation>Ein Sprachmodell liest Ihre Dokumente und Fragen nach ihrer Bedeutung, auf diesem Computer. Den meisten genügen die Modelle, die mit Lectern kommen; andere werden von huggingface.co geholt, wenn Sie eines verlangen.</translation>
    </message>
    <message>
        <source>What to do with this model</source>
        <translation>Was mit diesem Modell geschehen soll</translation>
    </message>
    <message>
        <source>Getting {model}</source>
        <translation>{model} wird geholt</translation>
    </message>
    <message>
        <source>{model} reads your documents anew: {time}, {size} more on the disk. Until it is done the present one answers, and afterwards you can return to that at once.</source>
        <translation>{model} liest Ihre Dokumente neu: {time}, {size} mehr auf dem Datenträger. Bis dahin antwortet das jetzige, und danach können Sie sofort zu ihm zurück.</translation>
    </message>
    <message>
        <source>&amp;Use it</source>
        <translation>&amp;Verwenden</translation>
    </message>
    <message>
        <source>{size} are free again.</source>
        <translation>{size} sind wieder frei.</translation>
    </message>
</context>
<context>
    <name>NoteField</name>
    <message>
        <source>Your note</source>
        <translation>Ihre Notiz</translation>
    </message>
</context>
<context>
    <name>NothingPanel</name>
    <message>
        <source>Nothing was found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>Nothing matches all filters. Remove:</source>
        <translation>Nichts passt zu allen Filtern. Entfernen:</translation>
    </message>
    <message>
        <source>All filters</source>
        <translation>Alle Filter</translation>
    </message>
    <message>
        <source>Try fewer or other words, or ask as you would ask a person.</source>
        <translation>Versuchen Sie weniger oder andere Wörter, oder fragen Sie wie einen Menschen.</translation>
    </message>
    <message>
        <source>Files that could not be read are listed in the library.</source>
        <translation>Dateien, die nicht zu lesen waren, stehen in der Bibliothek.</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Notice</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>Act on this notice</source>
        <translation>Auf die Meldung eingehen</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Dismiss this notice</source>
        <translation>Diese Meldung schließen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undone: {action}</source>
        <translation>Rückgängig gemacht: {action}</translation>
    </message>
</context>
<context>
    <name>OutlinePanel</name>
    <message>
        <source>Headings of this document</source>
        <translation>Überschriften dieses Dokuments</translation>
    </message>
</context>
<context>
    <name>PageView</name>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>It is in the basket already</source>
        <translation>Sie liegt schon im Korb</translation>
    </message>
    <message>
        <source>Added to the basket</source>
        <translation>In den Korb gelegt</translation>
    </message>
    <message>
        <source>Select text of a document and press Ctrl+H to highlight it, or Ctrl+Shift+H to write a note on it. Highlights are kept beside the documents, which stay as they are.</source>
        <translation>Wählen Sie Text eines Dokuments aus und drücken Sie Strg+H, um ihn zu markieren, oder Strg+Umschalt+H, um eine Notiz dazu zu schreiben. Markierungen liegen neben den Dokumenten, die bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>Highlights</source>
        <translation>Markierungen</translation>
    </message>
</context>
<context>
    <name>ParallelsPane</name>
    <message>
        <source>Elsewhere in the library</source>
        <translation>Anderswo in der Bibliothek</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Passages that say nearly the same</source>
        <translation>Stellen, die fast dasselbe sagen</translation>
    </message>
    <message>
        <source>Looking through the library…</source>
        <translation>Die Bibliothek wird durchgesehen …</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>Says nearly the same</source>
        <translation>Sagt fast dasselbe</translation>
    </message>
    <message>
        <source>Close in meaning</source>
        <translation>Ähnlich gemeint</translation>
    </message>
    <message>
        <source>Nothing else in the library says this in these words.</source>
        <translation>Nichts anderes in der Bibliothek sagt dies mit diesen Worten.</translation>
    </message>
    <message>
        <source>{here} here, {there} there</source>
        <translation>{here} hier, {there} dort</translation>
    </message>
</context>
<context>
    <name>PassphraseDialog</name>
    <message>
        <source>Encryption</source>
        <translation>Verschlüsselung</translation>
    </message>
    <message>
        <source>&amp;Keep it in the keyring of this system</source>
        <translation>Im &amp;Schlüsselbund dieses Systems aufbewahren</translation>
    </message>
    <message>
        <source>&amp;Passphrase:</source>
        <translation>&amp;Passphrase:</translation>
    </message>
    <message>
        <source>Once &amp;more:</source>
        <translation>Noch &amp;einmal:</translation>
    </message>
    <message>
        <source>Several words that do not belong together are strong.</source>
        <translation>Mehrere Wörter, die nicht zusammengehören, sind stark.</translation>
    </message>
    <message>
        <source>Weak: a computer guesses it.</source>
        <translation>Schwach: Ein Computer errät sie.</translation>
    </message>
    <message>
        <source>Fair: longer is better.</source>
        <translation>Mittel: Länger ist besser.</translation>
    </message>
    <message>
        <source>Strong, unless others know it or it is quoted from somewhere.</source>
        <translation>Stark, sofern andere sie nicht kennen und sie kein Zitat ist.</translation>
    </message>
    <message>
        <source>The two differ.</source>
        <translation>Die beiden sind verschieden.</translation>
    </message>
</context>
<context>
    <name>PasswordLine</name>
    <message>
        <source>Password of the document</source>
        <translation>Passwort des Dokuments</translation>
    </message>
    <message>
        <source>Pass&amp;word:</source>
        <translation>Pass&amp;wort:</translation>
    </message>
    <message>
        <source>U&amp;nlock</source>
        <translation>Ent&amp;sperren</translation>
    </message>
    <message>
        <source>&amp;Keep it in the system&apos;s keyring</source>
        <translation>Im &amp;Schlüsselbund aufbewahren</translation>
    </message>
    <message>
        <source>Otherwise Lectern forgets the password when it is quit.</source>
        <translation>Sonst vergisst Lectern das Passwort beim Beenden.</translation>
    </message>
    <message>
        <source>Checking the password…</source>
        <translation>Das Passwort wird geprüft …</translation>
    </message>
    <message>
        <source>Hide the password</source>
        <translation>Passwort verbergen</translation>
    </message>
    <message>
        <source>Show the password</source>
        <translation>Passwort zeigen</translation>
    </message>
    <message>
        <source>No supported keyring found; Lectern forgets this password when you quit.</source>
        <translation>Kein unterstützter Schlüsselbund gefunden; Lectern vergisst das Passwort beim Beenden.</translation>
    </message>
</context>
<context>
    <name>PatternsEditor</name>
    <message>
        <source>Patterns</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Patterns, one per line</source>
        <translation>Muster, eines je Zeile</translation>
    </message>
    <message>
        <source>One pattern per line</source>
        <translation>Ein Muster je Zeile</translation>
    </message>
    <message>
        <source>Sa&amp;ve</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>Cance&amp;l</source>
        <translation>A&amp;bbrechen</translation>
    </message>
    <message>
        <source>Leave out of {name}:</source>
        <translation>Aus {name} auslassen:</translation>
    </message>
    <message>
        <source>files that end in .bak</source>
        <translation>Dateien, die auf .bak enden</translation>
    </message>
    <message>
        <source>folders named drafts, wherever they are</source>
        <translation>Ordner namens drafts, wo sie auch sind</translation>
    </message>
    <message>
        <source>the folder private at the top only</source>
        <translation>nur den Ordner private ganz oben</translation>
    </message>
    <message>
        <source>include this one again</source>
        <translation>diese wieder zulassen</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>Zählt …</translation>
    </message>
    <message>
        <source>Leaves out {files} of the library: {names}.</source>
        <translation>Lässt {files} der Bibliothek weg: {names}.</translation>
    </message>
    <message>
        <source>{files} stay.</source>
        <translation>{files} bleiben.</translation>
    </message>
</context>
<context>
    <name>PersonalList</name>
    <message>
        <source>{file} could not be written: {reason}.</source>
        <translation>{file} konnte nicht geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>{file} could not be read. It was kept as {copy}.</source>
        <translation>{file} konnte nicht gelesen werden. Die Datei wurde als {copy} aufgehoben.</translation>
    </message>
</context>
<context>
    <name>PreviewActions</name>
    <message>
        <source>What to do with this document</source>
        <translation>Was mit diesem Dokument zu tun ist</translation>
    </message>
    <message>
        <source>Copy the selection</source>
        <translation>Auswahl kopieren</translation>
    </message>
    <message>
        <source>Copy the passage</source>
        <translation>Stelle kopieren</translation>
    </message>
    <message>
        <source>Open in your viewer</source>
        <translation>Im Anzeigeprogramm öffnen</translation>
    </message>
    <message>
        <source>The selection was copied.</source>
        <translation>Die Auswahl wurde kopiert.</translation>
    </message>
    <message>
        <source>Passage copied.</source>
        <translation>Stelle kopiert.</translation>
    </message>
</context>
<context>
    <name>PreviewFrame</name>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Dark pages in the dark theme</source>
        <translation>Dunkle Seiten im dunklen Design</translation>
    </message>
    <message>
        <source>Turn clockwise</source>
        <translation>Im Uhrzeigersinn drehen</translation>
    </message>
    <message>
        <source>Turn anticlockwise</source>
        <translation>Gegen den Uhrzeigersinn drehen</translation>
    </message>
    <message>
        <source>Find in document</source>
        <translation>Im Dokument suchen</translation>
    </message>
    <message>
        <source>Similar</source>
        <translation>Ähnliche Stellen</translation>
    </message>
    <message>
        <source>Said elsewhere</source>
        <translation>Anderswo gesagt</translation>
    </message>
    <message>
        <source>Copy with citation</source>
        <translation>Mit Quellenangabe kopieren</translation>
    </message>
    <message>
        <source>Add to the basket</source>
        <translation>In den Korb legen</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Read in the whole window</source>
        <translation>Im ganzen Fenster lesen</translation>
    </message>
    <message>
        <source>Open in its own window</source>
        <translation>In eigenem Fenster öffnen</translation>
    </message>
    <message>
        <source>Print…</source>
        <translation>Drucken …</translation>
    </message>
    <message>
        <source>Choose a result to see its page here.</source>
        <translation>Wählen Sie ein Ergebnis, um hier seine Seite zu sehen.</translation>
    </message>
    <message>
        <source>This file has changed since it was read; the passage is no longer here.</source>
        <translation>Diese Datei hat sich seit dem Lesen geändert; die Stelle ist nicht mehr da.</translation>
    </message>
    <message>
        <source>The passage could not be marked here; this is where it begins.</source>
        <translation>Die Stelle konnte hier nicht markiert werden; hier beginnt sie.</translation>
    </message>
    <message>
        <source>The drive of this document is not connected.</source>
        <translation>Das Laufwerk dieses Dokuments ist nicht angeschlossen.</translation>
    </message>
    <message>
        <source>Connect it to see the page; what was read of it stays searchable.</source>
        <translation>Schließen Sie es an, um die Seite zu sehen; was gelesen wurde, bleibt durchsuchbar.</translation>
    </message>
</context>
<context>
    <name>Printing</name>
    <message>
        <source>Printing…</source>
        <translation>Es wird gedruckt …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>It could not be printed: {reason}</source>
        <translation>Das Drucken ist gescheitert: {reason}</translation>
    </message>
    <message>
        <source>The printer does not answer.</source>
        <translation>Der Drucker antwortet nicht.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s) printed</source>
        <translation>
            <numerusform>%Ln Seite gedruckt</numerusform>
            <numerusform>%Ln Seiten gedruckt</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PrivacyPage</name>
    <message>
        <source>Lectern works without a network. Your documents, questions and results never leave this computer. Only a language model may be downloaded, once.</source>
        <translation>Lectern arbeitet ohne Netz. Ihre Dokumente, Fragen und Ergebnisse verlassen diesen Rechner nie. Nur ein Sprachmodell kann einmal heruntergeladen werden.</translation>
    </message>
    <message>
        <source>Open the library&apos;s &amp;folder</source>
        <translation>&amp;Ordner der Bibliothek öffnen</translation>
    </message>
    <message>
        <source>None. Lectern has never connected to anything.</source>
        <translation>Keine. Lectern hat sich noch nie mit etwas verbunden.</translation>
    </message>
    <message>
        <source>Library:</source>
        <translation>Bibliothek:</translation>
    </message>
    <message>
        <source>Size on disk:</source>
        <translation>Größe auf dem Laufwerk:</translation>
    </message>
    <message>
        <source>Free on its disk:</source>
        <translation>Frei auf dem Laufwerk:</translation>
    </message>
    <message>
        <source>Window:</source>
        <translation>Fenster:</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>Network connections so far:</source>
        <translation>Bisherige Netzverbindungen:</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>Alles kopieren</translation>
    </message>
    <message>
        <source>Delete everything that Lectern has made from your documents: the library, the history and the log. The documents themselves are not touched. This cannot be undone.</source>
        <translation>Löscht alles, was Lectern aus Ihren Dokumenten gemacht hat: die Bibliothek, den Verlauf und das Protokoll. Die Dokumente selbst bleiben unberührt. Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>T&amp;ype {word} to confirm:</source>
        <translation>Zur Bestätigung {word} &amp;eingeben:</translation>
    </message>
    <message>
        <source>&amp;Delete everything</source>
        <translation>Alles &amp;löschen</translation>
    </message>
    <message>
        <source>DELETE</source>
        <translation>LÖSCHEN</translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>Pages</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>{name} ({keys})</source>
        <translation>{name} ({keys})</translation>
    </message>
</context>
<context>
    <name>RecentDocuments</name>
    <message>
        <source>Recent documents</source>
        <translation>Letzte Dokumente</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Remove from this list</source>
        <translation>Aus dieser Liste entfernen</translation>
    </message>
    <message>
        <source>What to do with this document</source>
        <translation>Was mit diesem Dokument zu tun ist</translation>
    </message>
</context>
<context>
    <name>Removals</name>
    <message>
        <source>{folder} was removed from the library. The files themselves stay.</source>
        <translation>{folder} wurde aus der Bibliothek entfernt. Die Dateien selbst bleiben.</translation>
    </message>
</context>
<context>
    <name>Results</name>
    <message>
        <source>p. {label} (sheet {page})</source>
        <translation>S. {label} (Blatt {page})</translation>
    </message>
    <message>
        <source>pp. {pages}</source>
        <translation>S. {pages}</translation>
    </message>
    <message>
        <source>p. {page}</source>
        <translation>S. {page}</translation>
    </message>
    <message>
        <source>Your words: {words}</source>
        <translation>Ihre Worte: {words}</translation>
    </message>
    <message>
        <source>Close in meaning: {words}</source>
        <translation>Dem Sinn nach nahe: {words}</translation>
    </message>
    <message>
        <source>No single word counts much</source>
        <translation>Kein einzelnes Wort zählt viel</translation>
    </message>
    <message>
        <source>Its name matches what you are looking for.</source>
        <translation>Der Name passt zu Ihrer Suche.</translation>
    </message>
    <message>
        <source>Its name matches; its text could not be read.</source>
        <translation>Der Name passt; der Text konnte nicht gelesen werden.</translation>
    </message>
    <message>
        <source>Contains {phrases} ({n})</source>
        <translation>Enthält {phrases} ({n})</translation>
    </message>
    <message>
        <source>Related</source>
        <translation>Verwandtes</translation>
    </message>
    <message>
        <source>Weaker matches</source>
        <translation>Schwächere Treffer</translation>
    </message>
    <message>
        <source>New</source>
        <translation>Neu</translation>
    </message>
    <message>
        <source>A weaker match</source>
        <translation>Ein schwächerer Treffer</translation>
    </message>
</context>
<context>
    <name>ResultsPane</name>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>Nothing was found</source>
        <translation>Nichts gefunden</translation>
    </message>
</context>
<context>
    <name>ResultsSummary</name>
    <message>
        <source>Sort by</source>
        <translation>Ordnen nach</translation>
    </message>
    <message>
        <source>Order of the documents</source>
        <translation>In welcher Reihenfolge die Dokumente stehen</translation>
    </message>
    <message>
        <source>Relevance</source>
        <translation>Relevanz</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Closest passages: {hits} in {documents}</source>
        <translation>Nächstliegende Stellen: {hits}, {documents}</translation>
    </message>
    <message>
        <source>by words so far</source>
        <translation>bisher nur nach Wörtern</translation>
    </message>
    <message>
        <source>Perhaps not what you asked for.</source>
        <translation>Vielleicht nicht das, wonach gefragt war.</translation>
    </message>
    <message>
        <source>No good match; closest passages below.</source>
        <translation>Kein guter Treffer; unten die nächstliegenden Stellen.</translation>
    </message>
    <message>
        <source>The best {hits} in {documents}</source>
        <translation>Die besten: {hits}, {documents}</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>Neueste zuerst</translation>
    </message>
    <message>
        <source>{hits} in {documents}</source>
        <translation>{hits}, {documents}</translation>
    </message>
</context>
<context>
    <name>SearchBar</name>
    <message>
        <source>Saved and recent searches, collections</source>
        <translation>Gespeicherte und letzte Suchen, Sammlungen</translation>
    </message>
    <message>
        <source>{name}: {new}</source>
        <translation>{name}: {new}</translation>
    </message>
    <message>
        <source>Save this search…</source>
        <translation>Diese Suche speichern …</translation>
    </message>
    <message>
        <source>Remove “{name}”</source>
        <translation>„{name}“ entfernen</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>Forget recent searches</source>
        <translation>Letzte Suchen vergessen</translation>
    </message>
    <message>
        <source>Search syntax…</source>
        <translation>Suchsyntax …</translation>
    </message>
    <message>
        <source>Keep the filters as a collection…</source>
        <translation>Die Filter als Sammlung behalten …</translation>
    </message>
    <message>
        <source>Remove the collection “{name}”</source>
        <translation>Die Sammlung „{name}“ entfernen</translation>
    </message>
    <message>
        <source>Collections</source>
        <translation>Sammlungen</translation>
    </message>
    <message>
        <source>The saved search was removed</source>
        <translation>Die gespeicherte Suche wurde entfernt</translation>
    </message>
    <message>
        <source>Save this search</source>
        <translation>Diese Suche speichern</translation>
    </message>
    <message>
        <source>Name of the search:</source>
        <translation>Name der Suche:</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
</context>
<context>
    <name>SearchBox</name>
    <message>
        <source>Search your documents</source>
        <translation>Ihre Dokumente durchsuchen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Words, “phrases”, filters such as ext:pdf (Ctrl+L; F1 for help)</source>
        <translation>Wörter, „Wortfolgen“, Filter wie ext:pdf (Strg+L; F1 zeigt die Hilfe)</translation>
    </message>
    <message>
        <source>Clear the text and the filters</source>
        <translation>Text und Filter löschen</translation>
    </message>
</context>
<context>
    <name>SettingEditor</name>
    <message>
        <source>&amp;Browse…</source>
        <translation>&amp;Durchsuchen …</translation>
    </message>
    <message>
        <source>The system’s viewer</source>
        <translation>Anzeigeprogramm des Systems</translation>
    </message>
    <message>
        <source>Command of the viewer</source>
        <translation>Befehl des Programms</translation>
    </message>
    <message>
        <source>Template of citations</source>
        <translation>Vorlage der Quellenangaben</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Ordner wählen</translation>
    </message>
    <message>
        <source>Press the keys</source>
        <translation>Tasten drücken</translation>
    </message>
</context>
<context>
    <name>SettingRow</name>
    <message>
        <source>Reset {name}</source>
        <translation>{name} zurücksetzen</translation>
    </message>
    <message>
        <source>Back to: {value}</source>
        <translation>Zurück zu: {value}</translation>
    </message>
    <message>
        <source>on</source>
        <translation>ein</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>&amp;Advanced</source>
        <translation>&amp;Erweitert</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>Re&amp;start</source>
        <translation>&amp;Neu starten</translation>
    </message>
    <message>
        <source>Language models</source>
        <translation>Sprachmodelle</translation>
    </message>
    <message numerus="yes">
        <source>Restart to apply %Ln change(s)</source>
        <translation>
            <numerusform>Neu starten, um %Ln Änderung anzuwenden</numerusform>
            <numerusform>Neu starten, um %Ln Änderungen anzuwenden</numerusform>
        </translation>
    </message>
    <message>
        <source>The system did not let Lectern change what starts at login: {reason}.</source>
        <translation>Das System ließ Lectern den Start beim Anmelden nicht ändern: {reason}.</translation>
    </message>
</context>
<context>
    <name>StartPanel</name>
    <message>
        <source>Choose folders…</source>
        <translation>Ordner wählen …</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>There is nothing in the library yet. Choose folders, and Lectern reads them.</source>
        <translation>Die Bibliothek ist noch leer. Wählen Sie Ordner, und Lectern liest sie.</translation>
    </message>
    <message>
        <source>Recent documents</source>
        <translation>Letzte Dokumente</translation>
    </message>
    <message>
        <source>Searches</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Ask in your own words, or try</source>
        <translation>Fragen Sie in eigenen Worten, oder versuchen Sie</translation>
    </message>
    <message>
        <source>Search syntax…</source>
        <translation>Suchsyntax …</translation>
    </message>
    <message>
        <source>Search for this</source>
        <translation>Danach suchen</translation>
    </message>
    <message>
        <source>What to do with this search</source>
        <translation>Was mit dieser Suche zu tun ist</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Start the engine again</source>
        <translation>Suchmaschine neu starten</translation>
    </message>
    <message>
        <source>How much of the text can be found by its meaning; all of it by its words.</source>
        <translation>Wie viel des Textes sich nach dem Sinn finden lässt; nach Wörtern ist alles zu finden.</translation>
    </message>
    <message>
        <source>Go on reading</source>
        <translation>Weiterlesen</translation>
    </message>
    <message>
        <source>Pause reading</source>
        <translation>Einlesen anhalten</translation>
    </message>
    <message>
        <source>The engine stopped and is being started again. Nothing is lost.</source>
        <translation>Die Suchmaschine wurde unterbrochen und startet neu. Nichts ist verloren.</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Startet …</translation>
    </message>
</context>
<context>
    <name>TaskLine</name>
    <message>
        <source>Sto&amp;p</source>
        <translation>An&amp;halten</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} von {total}</translation>
    </message>
    <message>
        <source>Downloaded; the files are being checked.</source>
        <translation>Heruntergeladen; die Dateien werden geprüft.</translation>
    </message>
</context>
<context>
    <name>TextColumn</name>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
</context>
<context>
    <name>Toolbar</name>
    <message>
        <source>Open in your viewer</source>
        <translation>Im Anzeigeprogramm öffnen</translation>
    </message>
    <message>
        <source>Copy the passage</source>
        <translation>Stelle kopieren</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Previous hit in this document</source>
        <translation>Voriger Treffer im Dokument</translation>
    </message>
    <message>
        <source>Headings of this document</source>
        <translation>Überschriften dieses Dokuments</translation>
    </message>
    <message>
        <source>Next hit in this document</source>
        <translation>Nächster Treffer im Dokument</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>Page: type a number or a label and press Enter</source>
        <translation>Seite: Nummer oder Bezeichnung eingeben und Eingabetaste drücken</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>Vergrößerung</translation>
    </message>
    <message>
        <source>Hit {n} of {total}</source>
        <translation>Treffer {n} von {total}</translation>
    </message>
    <message>
        <source>of {total}</source>
        <translation>von {total}</translation>
    </message>
    <message>
        <source>({n} of {total})</source>
        <translation>({n} von {total})</translation>
    </message>
    <message>
        <source>Fit the text</source>
        <translation>An den Text anpassen</translation>
    </message>
    <message>
        <source>{n} %</source>
        <translation>{n} %</translation>
    </message>
    <message>
        <source>{text} ({keys})</source>
        <translation>{text} ({keys})</translation>
    </message>
    <message>
        <source>Fit page</source>
        <translation>Ganze Seite</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Search…</source>
        <translation>Suchen …</translation>
    </message>
    <message>
        <source>Pause reading</source>
        <translation>Einlesen anhalten</translation>
    </message>
    <message>
        <source>Quit Lectern</source>
        <translation>Lectern beenden</translation>
    </message>
</context>
<context>
    <name>Unsearched</name>
    <message>
        <source>Not searched</source>
        <translation>Nicht durchsucht</translation>
    </message>
    <message>
        <source>By words only: {languages}</source>
        <translation>Nur nach Wörtern: {languages}</translation>
    </message>
    <message>
        <source>Not searched:</source>
        <translation>Nicht durchsucht:</translation>
    </message>
    <message>
        <source>They are being read; ask again in a while.</source>
        <translation>Sie werden gerade gelesen; fragen Sie in einer Weile noch einmal.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln waiting to be read</source>
        <translation>
            <numerusform>%Ln wartet auf das Lesen</numerusform>
            <numerusform>%Ln warten auf das Lesen</numerusform>
        </translation>
    </message>
    <message>
        <source>Enter their passwords in the list of files.</source>
        <translation>Geben Sie ihre Passwörter in der Liste der Dateien ein.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln locked</source>
        <translation>
            <numerusform>%Ln gesperrt</numerusform>
            <numerusform>%Ln gesperrt</numerusform>
        </translation>
    </message>
    <message>
        <source>Scanned pages; the list of files says what is needed to read them.</source>
        <translation>Eingescannte Seiten; die Liste der Dateien sagt, was sie lesen würde.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln without text</source>
        <translation>
            <numerusform>%Ln ohne Text</numerusform>
            <numerusform>%Ln ohne Text</numerusform>
        </translation>
    </message>
    <message>
        <source>The list of files gives the reason of each.</source>
        <translation>Die Liste der Dateien nennt zu jeder den Grund.</translation>
    </message>
</context>
<context>
    <name>Vault</name>
    <message>
        <source>The library {library} is encrypted and locked.</source>
        <translation>Die Bibliothek {library} ist verschlüsselt und gesperrt.</translation>
    </message>
    <message>
        <source>Encrypting the library…</source>
        <translation>Bibliothek wird verschlüsselt …</translation>
    </message>
    <message>
        <source>Decrypting the library…</source>
        <translation>Bibliothek wird entschlüsselt …</translation>
    </message>
    <message>
        <source>Locking the library…</source>
        <translation>Bibliothek wird gesperrt …</translation>
    </message>
</context>
<context>
    <name>WindowAlerts</name>
    <message>
        <source>Something went wrong inside Lectern. A report, which stays here: {file}</source>
        <translation>In Lectern ist etwas schiefgegangen. Ein Bericht, der hier bleibt: {file}</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) stopped the engine more than once and were set aside.</source>
        <translation>
            <numerusform>%Ln Dokument hat die Suchmaschine mehr als einmal abstürzen lassen und wird übergangen.</numerusform>
            <numerusform>%Ln Dokumente haben die Suchmaschine mehr als einmal abstürzen lassen und werden übergangen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>{n} bytes</source>
        <translation>{n} Bytes</translation>
    </message>
    <message>
        <source>{n} %</source>
        <translation>{n} %</translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation>weniger als eine Minute</translation>
    </message>
    <message>
        <source>Not there</source>
        <translation>Nicht vorhanden</translation>
    </message>
    <message>
        <source>There is nothing at {path}.</source>
        <translation>Unter {path} gibt es nichts.</translation>
    </message>
    <message>
        <source>Check the path, or connect the drive it is on.</source>
        <translation>Prüfen Sie den Pfad, oder schließen Sie das Laufwerk an.</translation>
    </message>
    <message>
        <source>Not permitted</source>
        <translation>Nicht erlaubt</translation>
    </message>
    <message>
        <source>Give yourself permission to read it, or leave it out.</source>
        <translation>Geben Sie sich das Recht, sie zu lesen, oder lassen Sie sie aus.</translation>
    </message>
    <message>
        <source>Not empty</source>
        <translation>Nicht leer</translation>
    </message>
    <message>
        <source>{path} is not empty.</source>
        <translation>{path} ist nicht leer.</translation>
    </message>
    <message>
        <source>Not in the library</source>
        <translation>Nicht in der Bibliothek</translation>
    </message>
    <message>
        <source>{path} is not in this library.</source>
        <translation>{path} ist nicht in dieser Bibliothek.</translation>
    </message>
    <message>
        <source>Add its folder first.</source>
        <translation>Fügen Sie zuerst den Ordner hinzu.</translation>
    </message>
    <message>
        <source>The query cannot be read: {reason}.</source>
        <translation>Die Suchanfrage ist nicht zu verstehen: {reason}.</translation>
    </message>
    <message>
        <source>The help beside the search box shows what works.</source>
        <translation>Die Hilfe neben dem Suchfeld zeigt, was geht.</translation>
    </message>
    <message>
        <source>No such collection</source>
        <translation>Keine solche Sammlung</translation>
    </message>
    <message>
        <source>There is no collection {name}.</source>
        <translation>Es gibt keine Sammlung {name}.</translation>
    </message>
    <message>
        <source>Closed</source>
        <translation>Geschlossen</translation>
    </message>
    <message>
        <source>The person has opened no collection for {door}.</source>
        <translation>Für {door} ist keine Sammlung freigegeben.</translation>
    </message>
    <message>
        <source>Not possible</source>
        <translation>Nicht möglich</translation>
    </message>
    <message>
        <source>Settings unreadable</source>
        <translation>Einstellungen unlesbar</translation>
    </message>
    <message>
        <source>The settings in {file} cannot be read; look at line {line}, column {column}.</source>
        <translation>Die Einstellungen in {file} sind nicht lesbar; sehen Sie in Zeile {line}, Spalte {column} nach.</translation>
    </message>
    <message>
        <source>Correct the file. Until then Lectern is offline and changes no setting.</source>
        <translation>Berichtigen Sie die Datei. Bis dahin ist Lectern offline und ändert keine Einstellung.</translation>
    </message>
    <message>
        <source>Not understood</source>
        <translation>Nicht verstanden</translation>
    </message>
    <message>
        <source>No window</source>
        <translation>Kein Fenster</translation>
    </message>
    <message>
        <source>The window cannot be opened: {reason}.</source>
        <translation>Das Fenster lässt sich nicht öffnen: {reason}.</translation>
    </message>
    <message>
        <source>Processor too old</source>
        <translation>Prozessor zu alt</translation>
    </message>
    <message>
        <source>The processor of this computer lacks {missing}, which Lectern&apos;s libraries need.</source>
        <translation>Dem Prozessor dieses Rechners fehlt {missing}, das Lecterns Bibliotheken brauchen.</translation>
    </message>
    <message>
        <source>Use Lectern on a computer from 2013 or later.</source>
        <translation>Lectern auf einem Rechner ab 2013 benutzen.</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>In Gebrauch</translation>
    </message>
    <message>
        <source>Quit that program, or wait for it to finish.</source>
        <translation>Beenden Sie dieses Programm, oder warten Sie, bis es fertig ist.</translation>
    </message>
    <message>
        <source>Too new</source>
        <translation>Zu neu</translation>
    </message>
    <message>
        <source>Update Lectern.</source>
        <translation>Aktualisieren Sie Lectern.</translation>
    </message>
    <message>
        <source>Library damaged</source>
        <translation>Bibliothek beschädigt</translation>
    </message>
    <message>
        <source>Run “lectern repair” in a terminal.</source>
        <translation>Führen Sie in einem Terminal „lectern repair“ aus.</translation>
    </message>
    <message>
        <source>Not writable</source>
        <translation>Nicht beschreibbar</translation>
    </message>
    <message>
        <source>Lectern may not write to {library}.</source>
        <translation>Lectern darf nicht in {library} schreiben.</translation>
    </message>
    <message>
        <source>Choose another place for the library in the settings.</source>
        <translation>Wählen Sie in den Einstellungen einen anderen Ort für die Bibliothek.</translation>
    </message>
    <message>
        <source>Library moved</source>
        <translation>Bibliothek verschoben</translation>
    </message>
    <message>
        <source>The library {library} was moved, deleted or replaced while it was open.</source>
        <translation>Die Bibliothek {library} wurde verschoben, gelöscht oder ersetzt, während sie geöffnet war.</translation>
    </message>
    <message>
        <source>If it has another place now, choose that in the settings; else try again.</source>
        <translation>Liegt sie jetzt an einem anderen Ort, wählen Sie ihn in den Einstellungen; sonst versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>Gesperrt</translation>
    </message>
    <message>
        <source>The library {library} is encrypted and locked.</source>
        <translation>Die Bibliothek {library} ist verschlüsselt und gesperrt.</translation>
    </message>
    <message>
        <source>Start Lectern again to give its passphrase.</source>
        <translation>Starten Sie Lectern neu, um ihre Passphrase einzugeben.</translation>
    </message>
    <message>
        <source>Wrong passphrase</source>
        <translation>Falsche Passphrase</translation>
    </message>
    <message>
        <source>This is not the passphrase of the library {library}.</source>
        <translation>Das ist nicht die Passphrase der Bibliothek {library}.</translation>
    </message>
    <message>
        <source>Try again. Without the passphrase nobody can open it.</source>
        <translation>Versuchen Sie es noch einmal. Ohne die Passphrase kann niemand sie öffnen.</translation>
    </message>
    <message>
        <source>Cannot encrypt</source>
        <translation>Verschlüsseln nicht möglich</translation>
    </message>
    <message>
        <source>The library cannot be encrypted or unlocked here: {reason}.</source>
        <translation>Die Bibliothek lässt sich hier nicht verschlüsseln oder entsperren: {reason}.</translation>
    </message>
    <message>
        <source>Libraries are encrypted by gocryptfs on Linux. Install it, with fuse3.</source>
        <translation>Bibliotheken verschlüsselt gocryptfs unter Linux. Installieren Sie es, mit fuse3.</translation>
    </message>
    <message>
        <source>No keyring</source>
        <translation>Kein Schlüsselbund</translation>
    </message>
    <message>
        <source>The keyring of this system does not keep the passphrase.</source>
        <translation>Der Schlüsselbund dieses Systems bewahrt die Passphrase nicht auf.</translation>
    </message>
    <message>
        <source>Type it each time, or set up a keyring first.</source>
        <translation>Geben Sie sie jedes Mal ein, oder richten Sie zuerst einen Schlüsselbund ein.</translation>
    </message>
    <message>
        <source>Not as expected</source>
        <translation>Anders als erwartet</translation>
    </message>
    <message>
        <source>{path} is not what an encrypted library has there.</source>
        <translation>{path} ist nicht, was eine verschlüsselte Bibliothek dort hat.</translation>
    </message>
    <message>
        <source>Nothing was changed. Move it elsewhere if it is another library.</source>
        <translation>Nichts wurde geändert. Verschieben Sie es, wenn es eine andere Bibliothek ist.</translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation>Nur lesbar</translation>
    </message>
    <message>
        <source>The library {library} can only be read: it is searched, but not changed.</source>
        <translation>Die Bibliothek {library} kann nur gelesen werden: Sie wird durchsucht, aber nicht verändert.</translation>
    </message>
    <message>
        <source>Make its folder writable, or copy it and choose the copy in the settings.</source>
        <translation>Machen Sie ihren Ordner beschreibbar, oder kopieren Sie sie und wählen Sie die Kopie in den Einstellungen.</translation>
    </message>
    <message>
        <source>Published</source>
        <translation>Veröffentlicht</translation>
    </message>
    <message>
        <source>The library {library} is published: it is searched, but not changed.</source>
        <translation>Die Bibliothek {library} ist veröffentlicht: Sie wird durchsucht, aber nicht geändert.</translation>
    </message>
    <message>
        <source>“lectern library pull” in a terminal makes a library of your own of it; else ask who publishes it.</source>
        <translation>„lectern library pull“ in einem Terminal macht eine eigene Bibliothek daraus; sonst fragen Sie, wer sie veröffentlicht.</translation>
    </message>
    <message>
        <source>Too old</source>
        <translation>Zu alt</translation>
    </message>
    <message>
        <source>The library {library} was written by an older version and has to be brought up to date, but it can only be read.</source>
        <translation>Die Bibliothek {library} stammt von einer älteren Version und muss auf den neuesten Stand gebracht werden, kann aber nur gelesen werden.</translation>
    </message>
    <message>
        <source>Disk nearly full</source>
        <translation>Laufwerk fast voll</translation>
    </message>
    <message>
        <source>Less than {needed} is free on the disk of {path}.</source>
        <translation>Auf dem Laufwerk von {path} sind weniger als {needed} frei.</translation>
    </message>
    <message>
        <source>Free some space; indexing goes on where it stopped.</source>
        <translation>Schaffen Sie Platz; das Einlesen geht weiter, wo es aufgehört hat.</translation>
    </message>
    <message>
        <source>Runtime missing</source>
        <translation>Laufzeit fehlt</translation>
    </message>
    <message>
        <source>Install Lectern with its part “cpu”, “gpu” or “directml”.</source>
        <translation>Installieren Sie Lectern mit dem Zusatz „cpu“, „gpu“ oder „directml“.</translation>
    </message>
    <message>
        <source>Model missing</source>
        <translation>Modell fehlt</translation>
    </message>
    <message>
        <source>The language model {model} could not be fetched: {reason}.</source>
        <translation>Das Sprachmodell {model} war nicht zu bekommen: {reason}.</translation>
    </message>
    <message>
        <source>The language model {model} is not installed: {reason}.</source>
        <translation>Das Sprachmodell {model} ist nicht installiert: {reason}.</translation>
    </message>
    <message>
        <source>Get it in the settings, or choose another one there.</source>
        <translation>Holen Sie es in den Einstellungen, oder wählen Sie dort ein anderes.</translation>
    </message>
    <message>
        <source>Model damaged</source>
        <translation>Modell beschädigt</translation>
    </message>
    <message>
        <source>The files of the language model {model} are damaged.</source>
        <translation>Die Dateien des Sprachmodells {model} sind beschädigt.</translation>
    </message>
    <message>
        <source>Unknown model</source>
        <translation>Unbekanntes Modell</translation>
    </message>
    <message>
        <source>There is no language model named {model}.</source>
        <translation>Es gibt kein Sprachmodell namens {model}.</translation>
    </message>
    <message>
        <source>Choose another one in the settings.</source>
        <translation>Wählen Sie in den Einstellungen ein anderes.</translation>
    </message>
    <message>
        <source>Not imported</source>
        <translation>Nicht übernommen</translation>
    </message>
    <message>
        <source>{path} cannot be imported as a language model: {reason}.</source>
        <translation>{path} kann nicht als Sprachmodell übernommen werden: {reason}.</translation>
    </message>
    <message>
        <source>Choose another one.</source>
        <translation>Wählen Sie ein anderes.</translation>
    </message>
    <message>
        <source>The language model {model} is in use: {reason}.</source>
        <translation>Das Sprachmodell {model} wird verwendet: {reason}.</translation>
    </message>
    <message>
        <source>Choose another one first.</source>
        <translation>Wählen Sie zuerst ein anderes.</translation>
    </message>
    <message>
        <source>Access denied</source>
        <translation>Kein Zugang</translation>
    </message>
    <message>
        <source>The hub gives the language model {model} only to people whom its makers let in.</source>
        <translation>Das Sprachmodell {model} gibt es nur für Personen, die seine Hersteller zugelassen haben.</translation>
    </message>
    <message>
        <source>Ask for access on its page there, and set HF_TOKEN to your access token.</source>
        <translation>Bitten Sie auf seiner Seite um Zugang, und setzen Sie HF_TOKEN auf Ihr Zugangstoken.</translation>
    </message>
    <message>
        <source>Wrong download</source>
        <translation>Falscher Inhalt</translation>
    </message>
    <message>
        <source>{file} of the language model {model} is not the file that the hub described.</source>
        <translation>{file} des Sprachmodells {model} ist nicht die Datei, die angekündigt war.</translation>
    </message>
    <message>
        <source>It was deleted. Try again later, or without the mirror in HF_ENDPOINT.</source>
        <translation>Sie wurde gelöscht. Versuchen Sie es später wieder, oder ohne den Spiegel in HF_ENDPOINT.</translation>
    </message>
    <message>
        <source>No vectors</source>
        <translation>Keine Vektoren</translation>
    </message>
    <message>
        <source>The library has no complete vectors of the language model {model}.</source>
        <translation>Die Bibliothek hat keine vollständigen Vektoren des Sprachmodells {model}.</translation>
    </message>
    <message>
        <source>Choose it in the settings first.</source>
        <translation>Wählen Sie es zuerst in den Einstellungen.</translation>
    </message>
    <message>
        <source>Protected by a password</source>
        <translation>Passwortgeschützt</translation>
    </message>
    <message>
        <source>The document is protected by a password.</source>
        <translation>Das Dokument ist durch ein Passwort geschützt.</translation>
    </message>
    <message>
        <source>Enter the password below.</source>
        <translation>Geben Sie unten das Passwort ein.</translation>
    </message>
    <message>
        <source>Try again. Passwords are case-sensitive.</source>
        <translation>Versuchen Sie es noch einmal. Groß- und Kleinschreibung zählt.</translation>
    </message>
    <message>
        <source>Open it in its own program and save it again.</source>
        <translation>Öffnen Sie es in seinem Programm und speichern Sie es neu.</translation>
    </message>
    <message>
        <source>No text on its pages</source>
        <translation>Kein Text auf den Seiten</translation>
    </message>
    <message>
        <source>No page of the document has text.</source>
        <translation>Keine Seite des Dokuments enthält Text.</translation>
    </message>
    <message>
        <source>They are recognised after everything else.</source>
        <translation>Es wird gelesen, wenn sonst nichts zu tun ist.</translation>
    </message>
    <message>
        <source>Switch it on in the settings.</source>
        <translation>Schalten Sie sie in den Einstellungen ein.</translation>
    </message>
    <message>
        <source>The file has no content.</source>
        <translation>In der Datei gibt es nichts zu lesen.</translation>
    </message>
    <message>
        <source>Reader ended by the system</source>
        <translation>Leseprozess vom System beendet</translation>
    </message>
    <message>
        <source>The system ended the reader of the document, as it does for want of memory.</source>
        <translation>Das System hat den Leseprozess des Dokuments beendet, wie es das bei Speichermangel tut.</translation>
    </message>
    <message>
        <source>It is read again, alone. Close other programs if that does not help.</source>
        <translation>Es wird noch einmal allein gelesen. Schließen Sie andere Programme, wenn das nicht hilft.</translation>
    </message>
    <message>
        <source>Run “lectern report” in a terminal: it shows what to send.</source>
        <translation>In einem Terminal „lectern report“ aufrufen: Es zeigt, was zu schicken sich lohnt.</translation>
    </message>
    <message>
        <source>Wrong password</source>
        <translation>Falsches Passwort</translation>
    </message>
    <message>
        <source>The password does not open the document.</source>
        <translation>Das Passwort öffnet das Dokument nicht.</translation>
    </message>
    <message>
        <source>Too large when unpacked</source>
        <translation>Entpackt zu groß</translation>
    </message>
    <message>
        <source>The document unpacks to more than {limit}.</source>
        <translation>Das Dokument wird entpackt größer als {limit}.</translation>
    </message>
    <message>
        <source>Open it in its own program and save the parts you need.</source>
        <translation>Öffnen Sie es in seinem Programm und speichern Sie die Teile, die Sie brauchen.</translation>
    </message>
    <message>
        <source>Copy protected</source>
        <translation>Kopiergeschützt</translation>
    </message>
    <message>
        <source>The document is locked by copy protection.</source>
        <translation>Das Dokument ist durch einen Kopierschutz gesperrt.</translation>
    </message>
    <message>
        <source>Read it in the program it was bought for.</source>
        <translation>Lesen Sie es in dem Programm, für das es gekauft wurde.</translation>
    </message>
    <message>
        <source>Needs LibreOffice</source>
        <translation>Braucht LibreOffice</translation>
    </message>
    <message>
        <source>Files of {format} are read through LibreOffice, which is not installed.</source>
        <translation>Dateien von {format} werden mit LibreOffice gelesen, das nicht installiert ist.</translation>
    </message>
    <message>
        <source>Install LibreOffice and retry, or save it in a newer format.</source>
        <translation>Installieren Sie LibreOffice und versuchen Sie es noch einmal, oder speichern Sie es in einem neueren Format.</translation>
    </message>
    <message>
        <source>Too large</source>
        <translation>Zu groß</translation>
    </message>
    <message>
        <source>Lectern may not read {path}.</source>
        <translation>Lectern darf {path} nicht lesen.</translation>
    </message>
    <message>
        <source>Name a folder that does not exist yet.</source>
        <translation>Nennen Sie einen Ordner, den es noch nicht gibt.</translation>
    </message>
    <message>
        <source>Not a query</source>
        <translation>Keine Suchanfrage</translation>
    </message>
    <message>
        <source>Not indexed yet</source>
        <translation>Noch nicht indiziert</translation>
    </message>
    <message>
        <source>The setting {name} cannot be {value}: {reason}.</source>
        <translation>Die Einstellung {name} kann nicht {value} sein: {reason}.</translation>
    </message>
    <message>
        <source>Wrong command line</source>
        <translation>Falscher Befehl</translation>
    </message>
    <message>
        <source>The command line is invalid: {reason}.</source>
        <translation>Der Befehl ergibt keinen Sinn: {reason}.</translation>
    </message>
    <message>
        <source>The request cannot be read: {reason}.</source>
        <translation>Die Anfrage ist nicht lesbar: {reason}.</translation>
    </message>
    <message>
        <source>Quit Lectern everywhere and start it again: two versions may be running.</source>
        <translation>Beenden Sie Lectern und starten Sie es neu, überall in derselben Version.</translation>
    </message>
    <message>
        <source>The library {library} is in use by {holder}.</source>
        <translation>Die Bibliothek {library} wird von {holder} benutzt.</translation>
    </message>
    <message>
        <source>The library {library} was written by a newer version ({found}; this one reads up to {known}).</source>
        <translation>Die Bibliothek {library} wurde von einer neueren Version geschrieben ({found}; diese liest bis {known}).</translation>
    </message>
    <message>
        <source>The library {library} is damaged: {reason}.</source>
        <translation>Die Bibliothek {library} ist beschädigt: {reason}.</translation>
    </message>
    <message>
        <source>The catalog of the library {library} is damaged, and it is in use.</source>
        <translation>Der Katalog der Bibliothek {library} ist beschädigt, und sie wird gerade benutzt.</translation>
    </message>
    <message>
        <source>No ONNX Runtime is installed.</source>
        <translation>Es ist keine ONNX Runtime installiert.</translation>
    </message>
    <message>
        <source>Try again with a network, or choose another one in the settings.</source>
        <translation>Versuchen Sie es mit einer Netzverbindung noch einmal, oder wählen Sie in den Einstellungen ein anderes.</translation>
    </message>
    <message>
        <source>No earlier model</source>
        <translation>Kein früheres Modell</translation>
    </message>
    <message>
        <source>The vectors of no earlier model are kept.</source>
        <translation>Es gibt kein früheres Modell, dessen Vektoren noch da sind.</translation>
    </message>
    <message>
        <source>Unreadable</source>
        <translation>Nicht lesbar</translation>
    </message>
    <message>
        <source>The document cannot be read: {reason}.</source>
        <translation>Das Dokument kann nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>Scanned, to be recognised</source>
        <translation>Gescannt, wird noch erkannt</translation>
    </message>
    <message>
        <source>Its pages are scanned; the text on them is yet to be recognised.</source>
        <translation>Die Seiten sind gescannt; ihr Text wird noch erkannt.</translation>
    </message>
    <message>
        <source>Scanned</source>
        <translation>Gescannt</translation>
    </message>
    <message>
        <source>Its pages are scanned, and text recognition is switched off.</source>
        <translation>Die Seiten sind gescannt, und die Texterkennung ist ausgeschaltet.</translation>
    </message>
    <message>
        <source>Empty file</source>
        <translation>Leere Datei</translation>
    </message>
    <message>
        <source>The file is larger than {limit}.</source>
        <translation>Die Datei ist größer als {limit}.</translation>
    </message>
    <message>
        <source>Raise the limit in the settings, or split the file.</source>
        <translation>Erhöhen Sie die Grenze in den Einstellungen, oder teilen Sie die Datei.</translation>
    </message>
    <message>
        <source>Format not read yet</source>
        <translation>Format noch nicht lesbar</translation>
    </message>
    <message>
        <source>Lectern does not read {format} files yet.</source>
        <translation>Dateien der Art {format} liest Lectern noch nicht.</translation>
    </message>
    <message>
        <source>Save it as PDF, HTML or text; unpack an archive, or pack it as zip.</source>
        <translation>Speichern Sie sie als PDF, HTML oder Text; entpacken Sie ein Archiv, oder packen Sie es als Zip.</translation>
    </message>
    <message>
        <source>Left out by a rule</source>
        <translation>Durch eine Regel ausgelassen</translation>
    </message>
    <message>
        <source>It is left out: {reason}.</source>
        <translation>Sie wird ausgelassen: {reason}.</translation>
    </message>
    <message>
        <source>To include it, add a pattern that begins with “!” to its folder.</source>
        <translation>Um sie aufzunehmen, geben Sie dem Ordner ein Muster, das mit „!“ beginnt.</translation>
    </message>
    <message>
        <source>Not a document</source>
        <translation>Kein Dokument</translation>
    </message>
    <message>
        <source>{format} files are not documents that Lectern can read.</source>
        <translation>Eine Datei der Art {format} ist kein Dokument, das Lectern lesen könnte.</translation>
    </message>
    <message>
        <source>Only in the cloud</source>
        <translation>Nur in der Cloud</translation>
    </message>
    <message>
        <source>Its content is in the cloud, not on this computer.</source>
        <translation>Der Inhalt liegt in der Cloud, nicht auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Make it available offline in its own program.</source>
        <translation>Machen Sie sie im Programm der Cloud offline verfügbar.</translation>
    </message>
    <message>
        <source>Not a regular file</source>
        <translation>Keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>It is not a regular file but a {kind}.</source>
        <translation>Es ist keine gewöhnliche Datei: {kind}.</translation>
    </message>
    <message>
        <source>A link</source>
        <translation>Eine Verknüpfung</translation>
    </message>
    <message>
        <source>It is a link that is not followed: {reason}.</source>
        <translation>Dieser Verknüpfung wird nicht gefolgt: {reason}.</translation>
    </message>
    <message>
        <source>Add the folder it leads to.</source>
        <translation>Fügen Sie den Ordner hinzu, auf den sie zeigt.</translation>
    </message>
    <message>
        <source>Changed meanwhile</source>
        <translation>Inzwischen geändert</translation>
    </message>
    <message>
        <source>The file changed while it was read.</source>
        <translation>Die Datei hat sich beim Lesen geändert.</translation>
    </message>
    <message>
        <source>It is read again at the next run.</source>
        <translation>Sie wird beim nächsten Durchgang erneut gelesen.</translation>
    </message>
    <message>
        <source>The engine stopped answering.</source>
        <translation>Die Suchmaschine antwortet nicht mehr.</translation>
    </message>
    <message>
        <source>It is restarted, and finished work is kept.</source>
        <translation>Sie wird neu gestartet; was fertig ist, bleibt erhalten.</translation>
    </message>
    <message>
        <source>The engine uses protocol {found}, this program {known}.</source>
        <translation>Die Suchmaschine spricht Protokoll {found}, dieses Programm {known}.</translation>
    </message>
    <message>
        <source>Gone</source>
        <translation>Verschwunden</translation>
    </message>
    <message>
        <source>{path} is still being read.</source>
        <translation>{path} wird noch gelesen.</translation>
    </message>
    <message>
        <source>Try again once its folder is up to date.</source>
        <translation>Versuchen Sie es wieder, sobald der Ordner auf dem neuesten Stand ist.</translation>
    </message>
    <message>
        <source>Remove it in the settings and get it again; if it came with Lectern, install Lectern again.</source>
        <translation>Entfernen Sie es in den Einstellungen und holen Sie es neu; kam es mit Lectern, installieren Sie Lectern neu.</translation>
    </message>
    <message>
        <source>Its pages are scanned: {reason}.</source>
        <translation>Die Seiten sind gescannt: {reason}.</translation>
    </message>
    <message>
        <source>Install Tesseract with its language: {command}</source>
        <translation>Tesseract mit der Sprache installieren: {command}</translation>
    </message>
    <message>
        <source>The file was gone before it was read.</source>
        <translation>Die Datei war nicht mehr da, als sie an der Reihe war.</translation>
    </message>
    <message>
        <source>Took too long</source>
        <translation>Dauerte zu lange</translation>
    </message>
    <message>
        <source>Reading the document took longer than {limit}.</source>
        <translation>Das Lesen des Dokuments dauerte länger als {limit}.</translation>
    </message>
    <message>
        <source>Needs too much memory</source>
        <translation>Braucht zu viel Speicher</translation>
    </message>
    <message>
        <source>Reading the document needed more than {limit}.</source>
        <translation>Das Lesen des Dokuments brauchte mehr als {limit}.</translation>
    </message>
    <message>
        <source>Split the file, or raise the limit in the settings.</source>
        <translation>Teilen Sie die Datei, oder erhöhen Sie die Grenze in den Einstellungen.</translation>
    </message>
    <message>
        <source>Reader stopped</source>
        <translation>Leser abgebrochen</translation>
    </message>
    <message>
        <source>The reader stopped while it read the document ({reason}).</source>
        <translation>Der Leser brach beim Lesen des Dokuments ab ({reason}).</translation>
    </message>
    <message>
        <source>Set aside</source>
        <translation>Übergangen</translation>
    </message>
    <message>
        <source>Reading the document stopped the engine more than once.</source>
        <translation>Das Lesen des Dokuments hat die Suchmaschine mehr als einmal abstürzen lassen.</translation>
    </message>
    <message>
        <source>Open it in its own program, save it again, then retry.</source>
        <translation>Öffnen Sie es in seinem Programm, speichern Sie es neu und versuchen Sie es dann erneut.</translation>
    </message>
    <message>
        <source>Cannot be read</source>
        <translation>Nicht lesbar</translation>
    </message>
    <message>
        <source>The file could not be read: {reason}.</source>
        <translation>Die Datei war nicht zu lesen: {reason}.</translation>
    </message>
    <message>
        <source>Check the drive, then retry.</source>
        <translation>Prüfen Sie das Laufwerk und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>Engine restarting</source>
        <translation>Suchmaschine startet neu</translation>
    </message>
    <message>
        <source>Other version</source>
        <translation>Andere Version</translation>
    </message>
    <message>
        <source>Quit the other Lectern and try again.</source>
        <translation>Beenden Sie das andere Lectern und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>Beschäftigt</translation>
    </message>
    <message>
        <source>The engine is busy: {reason}.</source>
        <translation>Die Suchmaschine ist beschäftigt: {reason}.</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>Versuchen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <source>Fault in Lectern</source>
        <translation>Fehler in Lectern</translation>
    </message>
    <message>
        <source>Something went wrong inside Lectern: {reason}.</source>
        <translation>In Lectern ist etwas schiefgegangen: {reason}.</translation>
    </message>
    <message>
        <source>Only the first {limit} characters are searched.</source>
        <translation>Nur die ersten {limit} Zeichen werden gesucht.</translation>
    </message>
    <message>
        <source>{typed} has no value, so it is searched as text.</source>
        <translation>{typed} hat keinen Wert und wird darum als Text gesucht.</translation>
    </message>
    <message>
        <source>There is no operator {name}:, so it is searched as text.</source>
        <translation>Einen Operator {name}: gibt es nicht; er wird als Text gesucht.</translation>
    </message>
    <message>
        <source>{name}: cannot be excluded, so it is searched as text.</source>
        <translation>{name}: lässt sich nicht ausschließen und wird als Text gesucht.</translation>
    </message>
    <message>
        <source>{typed} is searched as text: {reason}.</source>
        <translation>{typed} wird als Text gesucht: {reason}.</translation>
    </message>
    <message>
        <source>A minus leaves passages out; say what to look for as well.</source>
        <translation>Ein Minus lässt Stellen weg; sagen Sie auch, wonach gesucht werden soll.</translation>
    </message>
    <message>
        <source>No passage contains {phrases}.</source>
        <translation>Keine Stelle enthält {phrases}.</translation>
    </message>
    <message>
        <source>Only words are searched.</source>
        <translation>Es wird nur nach Wörtern gesucht.</translation>
    </message>
    <message>
        <source>it has no value</source>
        <translation>ein Wert fehlt</translation>
    </message>
    <message>
        <source>a date is 2024, 2024-03 or 2024-03-15</source>
        <translation>ein Datum ist 2024, 2024-03 oder 2024-03-15</translation>
    </message>
    <message>
        <source>the date is out of range</source>
        <translation>das Datum liegt außerhalb des Kalenders</translation>
    </message>
    <message>
        <source>a size is 500kb, 10mb or 1.5gb</source>
        <translation>eine Größe ist 500kb, 10mb oder 1.5gb</translation>
    </message>
    <message>
        <source>an extension is pdf or docx</source>
        <translation>eine Endung ist pdf oder docx</translation>
    </message>
    <message>
        <source>a language is de or German</source>
        <translation>eine Sprache ist de oder German</translation>
    </message>
    <message>
        <source>installed, and a test run gave the numbers of the processor</source>
        <translation>installiert, und ein Probelauf ergab die Zahlen des Prozessors</translation>
    </message>
    <message>
        <source>as chosen in the settings</source>
        <translation>wie gewünscht</translation>
    </message>
    <message>
        <source>{device} is not part of the installed ONNX Runtime</source>
        <translation>{device} gehört nicht zur installierten ONNX Runtime</translation>
    </message>
    <message>
        <source>{device} failed ({said})</source>
        <translation>{device} hat versagt ({said})</translation>
    </message>
    <message>
        <source>{device} computes other numbers than the processor (error {error}) and is not used</source>
        <translation>{device} rechnet anders als der Prozessor (Fehler {error}) und wird nicht benutzt</translation>
    </message>
    <message>
        <source>{device} computes fp32, and these vectors are int8, which are not close enough to those; `lectern reindex --precision fp32` embeds all anew for it</source>
        <translation>{device} rechnet in fp32, und diese Vektoren sind in int8, was jenen nicht nahe genug ist; `lectern reindex --precision fp32` bettet dafür alles neu ein</translation>
    </message>
    <message>
        <source>{names} are installed together and overwrite each other&apos;s files; uninstall all of them, then install one</source>
        <translation>{names} sind zugleich installiert und überschreiben einander Dateien; alle deinstallieren, dann eines installieren</translation>
    </message>
    <message>
        <source>the model is loaded when it is first needed</source>
        <translation>das Sprachmodell wird geladen, sobald es gebraucht wird</translation>
    </message>
    <message>
        <source>it is the one of the settings</source>
        <translation>es ist das der Einstellungen</translation>
    </message>
    <message>
        <source>the vectors of the library {library} are its</source>
        <translation>die Vektoren der Bibliothek {library} sind von ihm</translation>
    </message>
    <message>
        <source>{file} is missing, or cannot be read</source>
        <translation>{file} fehlt oder ist nicht lesbar</translation>
    </message>
    <message>
        <source>{file} is larger than {limit}</source>
        <translation>{file} ist größer als {limit}</translation>
    </message>
    <message>
        <source>{file} is damaged, or is not what it should be</source>
        <translation>{file} ist beschädigt oder nicht, was es sein sollte</translation>
    </message>
    <message>
        <source>{option} is {value}, which is not known here</source>
        <translation>{option} ist {value}, was hier nicht bekannt ist</translation>
    </message>
    <message>
        <source>late chunking takes a model that pools by the mean</source>
        <translation>Late Chunking braucht ein Modell, das den Mittelwert bildet</translation>
    </message>
    <message>
        <source>{name} is no name for a model: up to 64 letters, digits, . _ and -, which --name gives</source>
        <translation>{name} ist kein Name für ein Modell: höchstens 64 Buchstaben, Ziffern, . _ und -, anzugeben mit --name</translation>
    </message>
    <message>
        <source>there is a model named {name}; give it another with --name</source>
        <translation>es gibt schon ein Modell namens {name}; geben Sie ihm mit --name einen anderen</translation>
    </message>
    <message>
        <source>it has no ONNX file; make one: optimum-cli export onnx --model {source} {source}/onnx</source>
        <translation>es hat keine ONNX-Datei; so entsteht eine: optimum-cli export onnx --model {source} {source}/onnx</translation>
    </message>
    <message>
        <source>{typed} has no words; signs such as these are not searched.</source>
        <translation>{typed} enthält keine Wörter; nach solchen Zeichen wird nicht gesucht.</translation>
    </message>
    <message>
        <source>No document contains {names}.</source>
        <translation>Kein Dokument enthält {names}.</translation>
    </message>
    <message>
        <source>No page with text has the printed number {labels}.</source>
        <translation>Keine Seite mit Text trägt die gedruckte Nummer {labels}.</translation>
    </message>
    <message>
        <source>a page is a number, such as 12 or iv</source>
        <translation>eine Seite ist eine Zahl wie 12 oder iv</translation>
    </message>
    <message>
        <source>the kind of a passage is annotation</source>
        <translation>die Art einer Stelle ist annotation</translation>
    </message>
    <message>
        <source>no supported graphics card</source>
        <translation>keine unterstützte Grafikkarte</translation>
    </message>
    <message>
        <source>found by words only: no available language model covers it</source>
        <translation>nur über Wörter zu finden: kein hier bekanntes Sprachmodell ist dafür gemacht</translation>
    </message>
    <message>
        <source>found by words only: the language model {model} covers it</source>
        <translation>nur über Wörter zu finden: das Sprachmodell {model} ist dafür gemacht</translation>
    </message>
    <message>
        <source>found by words only until the change to {model} is complete</source>
        <translation>nur über Wörter zu finden, bis der Wechsel zu {model} vollständig ist</translation>
    </message>
    <message>
        <source>Only the words of this question are searched: the language model of this library does not read its language; {model} does</source>
        <translation>Nur die Wörter dieser Frage werden gesucht: Das Sprachmodell dieser Bibliothek versteht ihre Sprache nicht; {model} versteht sie</translation>
    </message>
    <message>
        <source>keys and passwords are left out</source>
        <translation>Schlüssel und Passwörter bleiben draußen</translation>
    </message>
    <message>
        <source>a browser&apos;s own folder</source>
        <translation>der Ordner eines Browsers</translation>
    </message>
    <message>
        <source>a mail program&apos;s own folder</source>
        <translation>der Ordner eines Mailprogramms</translation>
    </message>
    <message>
        <source>a cache</source>
        <translation>ein Zwischenspeicher</translation>
    </message>
    <message>
        <source>a version control folder</source>
        <translation>ein Ordner einer Versionsverwaltung</translation>
    </message>
    <message>
        <source>third-party code</source>
        <translation>Programme anderer</translation>
    </message>
    <message>
        <source>generated from other files</source>
        <translation>aus anderen Dateien gemacht</translation>
    </message>
    <message>
        <source>the trash</source>
        <translation>der Papierkorb</translation>
    </message>
    <message>
        <source>a file of the system</source>
        <translation>eine Datei des Systems</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>versteckt</translation>
    </message>
    <message>
        <source>the same folder is listed elsewhere</source>
        <translation>derselbe Ordner steht an anderer Stelle</translation>
    </message>
    <message>
        <source>Lectern&apos;s own library</source>
        <translation>die Bibliothek von Lectern selbst</translation>
    </message>
    <message>
        <source>it was added on its own</source>
        <translation>sie wurde eigens hinzugefügt</translation>
    </message>
    <message>
        <source>its target does not exist</source>
        <translation>sie führt ins Leere</translation>
    </message>
    <message>
        <source>its target is listed in its own place</source>
        <translation>ihr Ziel ist dort aufgeführt, wo es liegt</translation>
    </message>
    <message>
        <source>its target is outside the folders of this library</source>
        <translation>sie führt aus den Ordnern dieser Bibliothek hinaus</translation>
    </message>
    <message>
        <source>pipe</source>
        <translation>Pipe</translation>
    </message>
    <message>
        <source>socket</source>
        <translation>Socket</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>special file</source>
        <translation>Spezialdatei</translation>
    </message>
    <message>
        <source>it is not a rich text file</source>
        <translation>es ist kein Rich Text</translation>
    </message>
    <message>
        <source>it is not a mailbox</source>
        <translation>es ist kein Postfach</translation>
    </message>
    <message>
        <source>it is not a mail</source>
        <translation>es ist keine E-Mail</translation>
    </message>
    <message>
        <source>it is not JSON</source>
        <translation>es ist kein JSON</translation>
    </message>
    <message>
        <source>it is not a notebook</source>
        <translation>es ist kein Notebook</translation>
    </message>
    <message>
        <source>it has no list of slides</source>
        <translation>die Liste der Folien fehlt</translation>
    </message>
    <message>
        <source>it has no list of sheets</source>
        <translation>die Liste der Tabellenblätter fehlt</translation>
    </message>
    <message>
        <source>a sheet is missing</source>
        <translation>ein Tabellenblatt fehlt</translation>
    </message>
    <message>
        <source>it has no text part</source>
        <translation>der Textteil fehlt</translation>
    </message>
    <message>
        <source>it has no part {part}</source>
        <translation>der Teil {part} fehlt</translation>
    </message>
    <message>
        <source>its list of parts is missing</source>
        <translation>die Liste seiner Teile fehlt</translation>
    </message>
    <message>
        <source>its parts are damaged</source>
        <translation>seine Teile sind beschädigt</translation>
    </message>
    <message>
        <source>its container is damaged</source>
        <translation>sein Archiv ist beschädigt</translation>
    </message>
    <message>
        <source>the PDF cannot be repaired</source>
        <translation>es ist kein PDF, das sich reparieren lässt</translation>
    </message>
    <message>
        <source>no page can be found in it</source>
        <translation>darin ist keine Seite zu finden</translation>
    </message>
    <message>
        <source>the pictures of pages with a line of text on them are not recognised</source>
        <translation>die Bilder von Seiten mit einer Textzeile darauf sind nicht erkannt</translation>
    </message>
    <message>
        <source>the fonts do not say which letters they show</source>
        <translation>die Schriften sagen nicht, welche Buchstaben sie zeigen</translation>
    </message>
    <message>
        <source>the image cannot be decoded</source>
        <translation>es ist kein Bild, das sich dekodieren lässt</translation>
    </message>
    <message>
        <source>its content is damaged</source>
        <translation>sein Inhalt ist beschädigt</translation>
    </message>
    <message>
        <source>its XML is damaged</source>
        <translation>sein XML ist beschädigt</translation>
    </message>
    <message>
        <source>its XML declares entities</source>
        <translation>sein XML deklariert Entitäten, wie sie kein Programm schreibt</translation>
    </message>
    <message>
        <source>LibreOffice cannot read it either</source>
        <translation>auch LibreOffice kann es nicht lesen</translation>
    </message>
    <message>
        <source>there is no page {page}</source>
        <translation>eine Seite {page} gibt es nicht</translation>
    </message>
    <message>
        <source>it is too large when unpacked</source>
        <translation>es wird entpackt zu groß</translation>
    </message>
    <message>
        <source>Cyrillic, which nothing installed here reads</source>
        <translation>kyrillisch, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>Greek, which nothing installed here reads</source>
        <translation>griechisch, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>Arabic, which nothing installed here reads</source>
        <translation>arabisch, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>Hebrew, which nothing installed here reads</source>
        <translation>hebräisch, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>Korean, which nothing installed here reads</source>
        <translation>koreanisch, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>Devanagari, which nothing installed here reads</source>
        <translation>in Devanagari, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>Thai, which nothing installed here reads</source>
        <translation>thailändisch, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>Bengali, which nothing installed here reads</source>
        <translation>bengalisch, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>Georgian, which nothing installed here reads</source>
        <translation>georgisch, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>Armenian, which nothing installed here reads</source>
        <translation>armenisch, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>Vietnamese, which nothing installed here reads</source>
        <translation>vietnamesisch, was nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>in a script that nothing installed here reads</source>
        <translation>in einer Schrift, die nichts liest, das hier installiert ist</translation>
    </message>
    <message>
        <source>the text on it could not be recognised</source>
        <translation>der Text darauf ließ sich nicht erkennen</translation>
    </message>
    <message>
        <source>its reader crashed or hung</source>
        <translation>das Lesen bricht dabei ab</translation>
    </message>
    <message>
        <source>its reader does not say why</source>
        <translation>das Leseprogramm nennt keinen Grund</translation>
    </message>
    <message>
        <source>a mail in it is too large</source>
        <translation>eine E-Mail darin ist zu groß</translation>
    </message>
    <message>
        <source>Not read inside it: {unread}.</source>
        <translation>Nicht gelesen von dem, was darin ist: {unread}.</translation>
    </message>
    <message>
        <source>it is behind a password</source>
        <translation>es ist durch ein Passwort geschützt</translation>
    </message>
    <message>
        <source>Lectern does not read files of its kind</source>
        <translation>Lectern liest keine Dateien dieser Art</translation>
    </message>
    <message>
        <source>LibreOffice is needed to read it, and only as a separate file</source>
        <translation>LibreOffice wird gebraucht, um es zu lesen, und liest es nur als eigene Datei</translation>
    </message>
    <message>
        <source>its pages are pictures, which are recognised only in separate files</source>
        <translation>es hat Seiten, die Bilder sind; erkannt werden sie nur in eigenen Dateien</translation>
    </message>
    <message>
        <source>no text was found in it</source>
        <translation>darin wurde kein Text gefunden</translation>
    </message>
    <message>
        <source>it is too large</source>
        <translation>es ist zu groß</translation>
    </message>
    <message>
        <source>it is nested too deeply in other documents</source>
        <translation>es steckt zu tief in anderen Dokumenten</translation>
    </message>
    <message>
        <source>it needs too much memory</source>
        <translation>es braucht zu viel Arbeitsspeicher</translation>
    </message>
    <message>
        <source>LibreOffice is needed to read it</source>
        <translation>zum Lesen wird LibreOffice gebraucht</translation>
    </message>
    <message>
        <source>too many files came before it</source>
        <translation>davor kamen zu viele Dateien</translation>
    </message>
    <message>
        <source>it stopped answering</source>
        <translation>es kam keine Antwort mehr</translation>
    </message>
    <message>
        <source>it does not exist</source>
        <translation>nicht vorhanden</translation>
    </message>
    <message>
        <source>the system does not permit it</source>
        <translation>das System erlaubt es nicht</translation>
    </message>
    <message>
        <source>the drive reports an error</source>
        <translation>das Laufwerk meldet einen Fehler</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>der Datenträger ist voll</translation>
    </message>
    <message>
        <source>the disk is read-only</source>
        <translation>der Datenträger ist schreibgeschützt</translation>
    </message>
    <message>
        <source>the drive does not answer</source>
        <translation>das Laufwerk antwortet nicht</translation>
    </message>
    <message>
        <source>another program is using it</source>
        <translation>ein anderes Programm benutzt es</translation>
    </message>
    <message>
        <source>its name is too long</source>
        <translation>der Name ist zu lang</translation>
    </message>
    <message>
        <source>it is not a regular file</source>
        <translation>es ist keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>it cannot be listed</source>
        <translation>der Inhalt lässt sich nicht auflisten</translation>
    </message>
    <message>
        <source>its drive does not report changes by others</source>
        <translation>Das Laufwerk meldet nicht, was andere ändern</translation>
    </message>
    <message>
        <source>the system watches no more folders (on Linux raise fs.inotify.max_user_watches)</source>
        <translation>Mehr Ordner überwacht das System nicht (unter Linux fs.inotify.max_user_watches erhöhen)</translation>
    </message>
    <message>
        <source>done</source>
        <translation>erledigt</translation>
    </message>
    <message>
        <source>working offline</source>
        <translation>es wird offline gearbeitet</translation>
    </message>
    <message>
        <source>it was imported from a folder, and its files are gone</source>
        <translation>es wurde aus einem Ordner übernommen, und seine Dateien sind weg</translation>
    </message>
    <message>
        <source>its files are gone</source>
        <translation>seine Dateien sind weg</translation>
    </message>
    <message>
        <source>its ONNX files were not built; run `make`</source>
        <translation>seine ONNX-Dateien wurden nicht gebaut; rufen Sie `make` auf</translation>
    </message>
    <message>
        <source>it was not fetched yet</source>
        <translation>es wurde noch nicht geholt</translation>
    </message>
    <message>
        <source>the hub has no such model or file</source>
        <translation>dort gibt es kein solches Modell oder keine solche Datei</translation>
    </message>
    <message>
        <source>the collection was changed meanwhile</source>
        <translation>die Sammlung wurde inzwischen geändert</translation>
    </message>
    <message>
        <source>it is there on Linux only</source>
        <translation>das gibt es nur unter Linux</translation>
    </message>
    <message>
        <source>gocryptfs is not installed</source>
        <translation>gocryptfs ist nicht installiert</translation>
    </message>
    <message>
        <source>this system has no FUSE that you may use</source>
        <translation>dieses System hat kein FUSE, das Sie benutzen dürfen</translation>
    </message>
    <message>
        <source>gocryptfs failed ({status})</source>
        <translation>gocryptfs ist gescheitert ({status})</translation>
    </message>
    <message>
        <source>it does not unmount</source>
        <translation>sie lässt sich nicht aushängen</translation>
    </message>
    <message>
        <source>the library is a drive of its own</source>
        <translation>die Bibliothek ist ein eigenes Laufwerk</translation>
    </message>
    <message>
        <source>another process is importing a model</source>
        <translation>ein anderer Prozess importiert ein Modell</translation>
    </message>
    <message>
        <source>the tables of its passages are missing</source>
        <translation>die Tabellen ihrer Textstellen fehlen</translation>
    </message>
    <message>
        <source>its catalog is not a database</source>
        <translation>der Katalog ist keine Datenbank</translation>
    </message>
    <message>
        <source>its catalog belongs to another program</source>
        <translation>der Katalog gehört einem anderen Programm</translation>
    </message>
    <message>
        <source>the process that may use the network has ended or does not answer</source>
        <translation>der Prozess, der das Netz benutzen darf, ist beendet oder antwortet nicht</translation>
    </message>
    <message>
        <source>it was started without --offline</source>
        <translation>sie wurde ohne --offline gestartet</translation>
    </message>
    <message>
        <source>no socket can be opened</source>
        <translation>es lässt sich kein Socket anlegen</translation>
    </message>
    <message>
        <source>another command is using it and will stop it</source>
        <translation>ein anderer Befehl benutzt sie und beendet sie danach</translation>
    </message>
    <message>
        <source>too many programs are connected</source>
        <translation>zu viele Programme sind verbunden</translation>
    </message>
    <message>
        <source>too many requests are waiting</source>
        <translation>zu viele Anfragen warten</translation>
    </message>
    <message>
        <source>another process is fetching the model</source>
        <translation>ein anderer Prozess holt das Modell gerade</translation>
    </message>
    <message>
        <source>it is finishing its work</source>
        <translation>sie beendet noch, was sie begonnen hat</translation>
    </message>
    <message>
        <source>a newer request replaced it</source>
        <translation>eine neuere Anfrage trat an ihre Stelle</translation>
    </message>
    <message>
        <source>the engine did not start</source>
        <translation>die Suchmaschine ist nicht gestartet</translation>
    </message>
    <message>
        <source>the answer is invalid</source>
        <translation>die Antwort ist ungültig</translation>
    </message>
    <message>
        <source>it takes one value</source>
        <translation>es hat genau einen Wert</translation>
    </message>
    <message>
        <source>it is on or off</source>
        <translation>es ist an oder aus</translation>
    </message>
    <message>
        <source>it is a whole number</source>
        <translation>es ist eine ganze Zahl</translation>
    </message>
    <message>
        <source>it is a number</source>
        <translation>es ist eine Zahl</translation>
    </message>
    <message>
        <source>choose {choices}</source>
        <translation>zur Wahl stehen {choices}</translation>
    </message>
    <message>
        <source>it is a text</source>
        <translation>es ist ein Text</translation>
    </message>
    <message>
        <source>it is a list</source>
        <translation>es ist eine Liste</translation>
    </message>
    <message>
        <source>it must be between {low} and {high}</source>
        <translation>es liegt zwischen {low} und {high}</translation>
    </message>
    <message>
        <source>there is no such setting</source>
        <translation>eine solche Einstellung gibt es nicht</translation>
    </message>
    <message>
        <source>it is not a pattern</source>
        <translation>es ist kein Muster</translation>
    </message>
    <message>
        <source>the pattern {pattern}</source>
        <translation>das Muster {pattern}</translation>
    </message>
    <message>
        <source>Pages that could not be read: {pages}.</source>
        <translation>Nicht lesbare Seiten: {pages}.</translation>
    </message>
    <message>
        <source>Pages that could not be read: {pages} ({reason}).</source>
        <translation>Nicht lesbare Seiten: {pages} ({reason}).</translation>
    </message>
    <message>
        <source>PDF</source>
        <translation>PDF</translation>
    </message>
    <message>
        <source>Web page</source>
        <translation>Webseite</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>Einfacher Text</translation>
    </message>
    <message>
        <source>Source code</source>
        <translation>Quelltext</translation>
    </message>
    <message>
        <source>Table of values</source>
        <translation>Wertetabelle</translation>
    </message>
    <message>
        <source>Word document</source>
        <translation>Word-Dokument</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>Web pages</source>
        <translation>Webseiten</translation>
    </message>
    <message>
        <source>Books</source>
        <translation>Bücher</translation>
    </message>
    <message>
        <source>Spreadsheets</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>Presentations</source>
        <translation>Präsentationen</translation>
    </message>
    <message>
        <source>Word document (old)</source>
        <translation>Word-Dokument (alt)</translation>
    </message>
    <message>
        <source>Subtitles</source>
        <translation>Untertitel</translation>
    </message>
    <message>
        <source>Exported chat</source>
        <translation>Exportierter Chat</translation>
    </message>
    <message>
        <source>References</source>
        <translation>Literaturliste</translation>
    </message>
    <message>
        <source>Exported records</source>
        <translation>Exportierte Datensätze</translation>
    </message>
    <message>
        <source>Places, notes or translations</source>
        <translation>Orte, Notizen oder Übersetzungen</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>Gliederung</translation>
    </message>
    <message>
        <source>Calendar or contacts</source>
        <translation>Kalender oder Kontakte</translation>
    </message>
    <message>
        <source>FictionBook</source>
        <translation>FictionBook</translation>
    </message>
    <message>
        <source>Article in XML</source>
        <translation>Artikel in XML</translation>
    </message>
    <message>
        <source>iWork document</source>
        <translation>iWork-Dokument</translation>
    </message>
    <message>
        <source>PowerPoint presentation</source>
        <translation>PowerPoint-Präsentation</translation>
    </message>
    <message>
        <source>Visio drawing</source>
        <translation>Visio-Zeichnung</translation>
    </message>
    <message>
        <source>PowerPoint presentation (old)</source>
        <translation>PowerPoint-Präsentation (alt)</translation>
    </message>
    <message>
        <source>OpenDocument drawing</source>
        <translation>OpenDocument-Zeichnung</translation>
    </message>
    <message>
        <source>Excel workbook</source>
        <translation>Excel-Arbeitsmappe</translation>
    </message>
    <message>
        <source>Excel workbook (old)</source>
        <translation>Excel-Arbeitsmappe (alt)</translation>
    </message>
    <message>
        <source>OpenDocument text</source>
        <translation>OpenDocument-Text</translation>
    </message>
    <message>
        <source>OpenDocument presentation</source>
        <translation>OpenDocument-Präsentation</translation>
    </message>
    <message>
        <source>OpenDocument spreadsheet</source>
        <translation>OpenDocument-Tabelle</translation>
    </message>
    <message>
        <source>Rich text</source>
        <translation>Rich Text</translation>
    </message>
    <message>
        <source>E-book</source>
        <translation>E-Book</translation>
    </message>
    <message>
        <source>Mail</source>
        <translation>E-Mail</translation>
    </message>
    <message>
        <source>Mailbox</source>
        <translation>Postfach</translation>
    </message>
    <message>
        <source>Outlook mail</source>
        <translation>Outlook-E-Mail</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archiv</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Notebook</source>
        <translation>Notebook</translation>
    </message>
    <message>
        <source>TeX</source>
        <translation>TeX</translation>
    </message>
    <message>
        <source>Slow</source>
        <translation>Langsam</translation>
    </message>
    <message>
        <source>Hardly noticeable while you work.</source>
        <translation>Bei der Arbeit kaum zu merken.</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>Normal</translation>
    </message>
    <message>
        <source>Leaves room for other programs.</source>
        <translation>Lässt anderen Programmen Platz.</translation>
    </message>
    <message>
        <source>Fast</source>
        <translation>Schnell</translation>
    </message>
    <message>
        <source>As fast as this computer can.</source>
        <translation>So schnell dieser Rechner kann.</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Slower: on battery</source>
        <translation>Langsamer: Akkubetrieb</translation>
    </message>
    <message>
        <source>Slower: the computer is busy</source>
        <translation>Langsamer: Der Rechner ist beschäftigt</translation>
    </message>
    <message>
        <source>Slower: you are typing</source>
        <translation>Langsamer: Sie tippen gerade</translation>
    </message>
    <message>
        <source>Waiting for a search</source>
        <translation>Wartet auf eine Suche</translation>
    </message>
    <message>
        <source>Waiting for another command</source>
        <translation>Wartet auf einen anderen Befehl</translation>
    </message>
    <message>
        <source>Waits: the disk is nearly full</source>
        <translation>Wartet: Das Laufwerk ist fast voll</translation>
    </message>
    <message>
        <source>Search only: the library is read-only</source>
        <translation>Nur Suche: Die Bibliothek ist schreibgeschützt</translation>
    </message>
    <message>
        <source>Search only: the library is published</source>
        <translation>Nur Suche: Die Bibliothek ist veröffentlicht</translation>
    </message>
    <message>
        <source>Words only: the language model is missing</source>
        <translation>Nur Wörter: Das Sprachmodell fehlt</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>It will be read when its turn comes.</source>
        <translation>Wird gelesen, sobald sie an der Reihe ist.</translation>
    </message>
    <message>
        <source>Found by words</source>
        <translation>An Wörtern zu finden</translation>
    </message>
    <message>
        <source>Its words can be searched already; its meaning follows.</source>
        <translation>Die Wörter sind schon zu finden; der Sinn folgt.</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>It is found by its words and by its meaning.</source>
        <translation>Wird an Wörtern und Sinn gefunden.</translation>
    </message>
    <message>
        <source>Partly ready</source>
        <translation>Teilweise bereit</translation>
    </message>
    <message>
        <source>Some of its pages could not be read; the others are found.</source>
        <translation>Einige Seiten waren nicht zu lesen; die anderen werden gefunden.</translation>
    </message>
    <message>
        <source>No text</source>
        <translation>Kein Text</translation>
    </message>
    <message>
        <source>Its pages contain only pictures.</source>
        <translation>Auf den Seiten sind nur Bilder.</translation>
    </message>
    <message>
        <source>Needs a password</source>
        <translation>Braucht ein Passwort</translation>
    </message>
    <message>
        <source>It can be read once you enter its password.</source>
        <translation>Lesbar, sobald Sie das Passwort eingeben.</translation>
    </message>
    <message>
        <source>Nothing in it could be read.</source>
        <translation>Nichts darin war zu lesen.</translation>
    </message>
    <message>
        <source>Empty</source>
        <translation>Leer</translation>
    </message>
    <message>
        <source>There is nothing in it to read.</source>
        <translation>Es gibt darin nichts zu lesen.</translation>
    </message>
    <message>
        <source>It is larger than the settings allow.</source>
        <translation>Größer, als die Einstellungen erlauben.</translation>
    </message>
    <message>
        <source>Lectern cannot read files of this kind.</source>
        <translation>Dateien dieser Art kann Lectern nicht lesen.</translation>
    </message>
    <message>
        <source>Not read</source>
        <translation>Nicht gelesen</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>Ausgelassen</translation>
    </message>
    <message>
        <source>A rule or one of your patterns leaves it out.</source>
        <translation>Eine Regel oder eines Ihrer Muster lässt sie aus.</translation>
    </message>
    <message>
        <source>In the cloud</source>
        <translation>In der Cloud</translation>
    </message>
    <message>
        <source>It is not on this computer and is never downloaded.</source>
        <translation>Nicht auf diesem Rechner; wird nie heruntergeladen.</translation>
    </message>
    <message>
        <source>It is found by its words alone: the language model does not read {language}.</source>
        <translation>Wird nur über seine Wörter gefunden: das Sprachmodell liest {language} nicht.</translation>
    </message>
    <message>
        <source>Found by its words</source>
        <translation>An den Wörtern gefunden</translation>
    </message>
    <message>
        <source>Found by its meaning</source>
        <translation>Am Sinn gefunden</translation>
    </message>
    <message>
        <source>Found by its words and its meaning</source>
        <translation>An Wörtern und Sinn gefunden</translation>
    </message>
    <message>
        <source>Contains the exact phrase</source>
        <translation>Enthält den genauen Wortlaut</translation>
    </message>
    <message>
        <source>Found by its name</source>
        <translation>Am Namen gefunden</translation>
    </message>
    <message>
        <source>Found by its meaning, in another language: {language}</source>
        <translation>Über die Bedeutung gefunden, in einer anderen Sprache: {language}</translation>
    </message>
    <message>
        <source>Looking for new and changed files</source>
        <translation>Sucht neue und geänderte Dateien</translation>
    </message>
    <message>
        <source>Reading: {done} of {total} files</source>
        <translation>Liest: {done} von {total} Dateien</translation>
    </message>
    <message>
        <source>Recognising text: {left} scanned pages left</source>
        <translation>Text wird erkannt: noch {left} gescannte Seiten</translation>
    </message>
    <message>
        <source>Tidying up the library</source>
        <translation>Räumt die Bibliothek auf</translation>
    </message>
    <message>
        <source>Understanding: {left} passages to go</source>
        <translation>Verstehen: noch {left} Stellen</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>Einlesen</translation>
    </message>
    <message>
        <source>Other programs</source>
        <translation>Andere Programme</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Colours of the window.</source>
        <translation>Farben des Fensters.</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Language of the window.</source>
        <translation>Sprache des Fensters.</translation>
    </message>
    <message>
        <source>Size of text (%)</source>
        <translation>Schriftgröße (%)</translation>
    </message>
    <message>
        <source>Size of the window&apos;s text, in percent of the system&apos;s.</source>
        <translation>Schriftgröße des Fensters in Prozent der des Systems.</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <source>Go to the search box</source>
        <translation>Zum Suchfeld</translation>
    </message>
    <message>
        <source>Search, library, basket, highlights</source>
        <translation>Suche, Bibliothek, Korb, Markierungen</translation>
    </message>
    <message>
        <source>Back to the search before, or forward again</source>
        <translation>Zur vorigen Suche zurück oder wieder vor</translation>
    </message>
    <message>
        <source>Show or hide the preview</source>
        <translation>Vorschau ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Pause reading, or go on</source>
        <translation>Einlesen anhalten oder fortsetzen</translation>
    </message>
    <message>
        <source>Undo the last action</source>
        <translation>Die letzte Aktion rückgängig machen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Help for what you are doing</source>
        <translation>Hilfe zu dem, was gerade geschieht</translation>
    </message>
    <message>
        <source>This list</source>
        <translation>Diese Liste</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <source>Quit Lectern</source>
        <translation>Lectern beenden</translation>
    </message>
    <message>
        <source>Search box and results</source>
        <translation>Suchfeld und Ergebnisse</translation>
    </message>
    <message>
        <source>Previous or next passage</source>
        <translation>Vorige oder nächste Stelle</translation>
    </message>
    <message>
        <source>Previous or next document</source>
        <translation>Voriges oder nächstes Dokument</translation>
    </message>
    <message>
        <source>Go to the results; there, open the document at its page</source>
        <translation>Zu den Treffern; dort: das Dokument auf seiner Seite öffnen</translation>
    </message>
    <message>
        <source>Show the file in its folder</source>
        <translation>Datei im Ordner zeigen</translation>
    </message>
    <message>
        <source>Show or hide the preview, in the results</source>
        <translation>Vorschau ein- oder ausblenden, in den Ergebnissen</translation>
    </message>
    <message>
        <source>Show the words that count, and what they match in meaning</source>
        <translation>Worte zeigen, die zählen, und was ihnen dem Sinn nach entspricht</translation>
    </message>
    <message>
        <source>Suggestions, in the search box</source>
        <translation>Vorschläge, im Suchfeld</translation>
    </message>
    <message>
        <source>Copy the passage, in the results</source>
        <translation>Stelle kopieren, in den Ergebnissen</translation>
    </message>
    <message>
        <source>Copy the passage, or what is selected in the preview, with its source</source>
        <translation>Die Stelle, oder was in der Vorschau ausgewählt ist, mit ihrer Quelle kopieren</translation>
    </message>
    <message>
        <source>Put the passage into the basket, or what is selected in the preview</source>
        <translation>Die Stelle in den Korb legen, oder was in der Vorschau ausgewählt ist</translation>
    </message>
    <message>
        <source>Find in this document; in the list of files, filter by name</source>
        <translation>In diesem Dokument finden; in der Liste der Dateien nach Namen filtern</translation>
    </message>
    <message>
        <source>Highlight what is selected, or write a note on it</source>
        <translation>Die Auswahl markieren oder eine Notiz dazu schreiben</translation>
    </message>
    <message>
        <source>Headings beside the page</source>
        <translation>Überschriften neben der Seite</translation>
    </message>
    <message>
        <source>Open the document in a window of its own</source>
        <translation>Das Dokument in einem eigenen Fenster öffnen</translation>
    </message>
    <message>
        <source>Print the document</source>
        <translation>Das Dokument drucken</translation>
    </message>
    <message>
        <source>Compare two selected documents</source>
        <translation>Zwei ausgewählte Dokumente vergleichen</translation>
    </message>
    <message>
        <source>Leave the file out; in the basket, take the passage out</source>
        <translation>Die Datei auslassen; im Korb die Stelle herausnehmen</translation>
    </message>
    <message>
        <source>Basket</source>
        <translation>Korb</translation>
    </message>
    <message>
        <source>Move the passage up or down</source>
        <translation>Die Stelle nach oben oder unten schieben</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Previous or next hit in this document</source>
        <translation>Voriger oder nächster Treffer im Dokument</translation>
    </message>
    <message>
        <source>Next or previous place</source>
        <translation>Nächste oder vorige Fundstelle</translation>
    </message>
    <message>
        <source>Find this text elsewhere in the library</source>
        <translation>Diesen Text anderswo in der Bibliothek finden</translation>
    </message>
    <message>
        <source>Larger or smaller</source>
        <translation>Größer oder kleiner</translation>
    </message>
    <message>
        <source>Fit the width</source>
        <translation>An die Breite anpassen</translation>
    </message>
    <message>
        <source>Turn the pages clockwise or anticlockwise</source>
        <translation>Die Seiten im oder gegen den Uhrzeigersinn drehen</translation>
    </message>
    <message>
        <source>Read in the whole window, or go back to the results</source>
        <translation>Im ganzen Fenster lesen oder zurück zu den Treffern</translation>
    </message>
    <message>
        <source>List of files</source>
        <translation>Liste der Dateien</translation>
    </message>
    <message>
        <source>Read the file again</source>
        <translation>Datei noch einmal lesen</translation>
    </message>
    <message>
        <source>Show the page of the selected passage beside the results.</source>
        <translation>Die Seite der gewählten Stelle neben den Ergebnissen zeigen.</translation>
    </message>
    <message>
        <source>Dark pages</source>
        <translation>Dunkle Seiten</translation>
    </message>
    <message>
        <source>In the dark theme, show pages light on dark.</source>
        <translation>Im dunklen Design Seiten hell auf dunkel zeigen.</translation>
    </message>
    <message>
        <source>Viewer</source>
        <translation>Anzeigeprogramm</translation>
    </message>
    <message>
        <source>Citations</source>
        <translation>Quellenangaben</translation>
    </message>
    <message>
        <source>How copied passages are cited: in a style, or by a template with {author}, {title}, {year}, {page}, {number}, {file} and {link}; a part in brackets is left out where a field in it is not known.</source>
        <translation>Wie kopierte Stellen belegt werden: in einem Stil oder nach einer Vorlage mit {author}, {title}, {year}, {page}, {number}, {file} und {link}; ein Teil in eckigen Klammern entfällt, wo ein Feld darin nicht bekannt ist.</translation>
    </message>
    <message>
        <source>Simple</source>
        <translation>Einfach</translation>
    </message>
    <message>
        <source>Link in citations</source>
        <translation>Link in Quellenangaben</translation>
    </message>
    <message>
        <source>Add a link that opens the passage in Lectern.</source>
        <translation>Einen Link hinzufügen, der die Stelle in Lectern öffnet.</translation>
    </message>
    <message>
        <source>Close to the tray</source>
        <translation>In den Infobereich schließen</translation>
    </message>
    <message>
        <source>Closing the window leaves Lectern in the tray, watching the folders.</source>
        <translation>Beim Schließen des Fensters bleibt Lectern im Infobereich und überwacht die Ordner.</translation>
    </message>
    <message>
        <source>Start at login</source>
        <translation>Beim Anmelden starten</translation>
    </message>
    <message>
        <source>Start Lectern in the tray when you log in.</source>
        <translation>Lectern beim Anmelden im Infobereich starten.</translation>
    </message>
    <message>
        <source>Hotkey</source>
        <translation>Tastenkombination</translation>
    </message>
    <message>
        <source>Keys that open the search from anywhere, and hide it again, such as Ctrl+Alt+L; empty: none.</source>
        <translation>Tasten, die die Suche von überall öffnen und wieder verbergen, etwa Strg+Alt+L; leer: keine.</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Remember what was searched for, on this machine only.</source>
        <translation>Merken, was gesucht wurde, nur auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>How much of the machine indexing may take.</source>
        <translation>Wie viel vom Rechner das Einlesen beanspruchen darf.</translation>
    </message>
    <message>
        <source>Hidden files</source>
        <translation>Versteckte Dateien</translation>
    </message>
    <message>
        <source>Read hidden files and folders too.</source>
        <translation>Auch versteckte Dateien und Ordner lesen.</translation>
    </message>
    <message>
        <source>Leave out everywhere</source>
        <translation>Überall auslassen</translation>
    </message>
    <message>
        <source>Patterns to leave out, in gitignore syntax, in addition to the built-in ones.</source>
        <translation>Muster, die ausgelassen werden, in gitignore-Schreibweise, neben den eingebauten.</translation>
    </message>
    <message>
        <source>Recognise text</source>
        <translation>Text erkennen</translation>
    </message>
    <message>
        <source>Languages of scanned pages, the likeliest first, such as de or deu; empty: the system&apos;s, English and others that Tesseract has.</source>
        <translation>Sprachen gescannter Seiten, die wahrscheinlichste zuerst, etwa de oder deu; leer: die des Systems, Englisch und andere, die Tesseract kennt.</translation>
    </message>
    <message>
        <source>Keep free (GB)</source>
        <translation>Frei lassen (GB)</translation>
    </message>
    <message>
        <source>Indexing pauses while less disk than this is free, in GB.</source>
        <translation>Das Einlesen wartet, solange weniger frei ist, in GB.</translation>
    </message>
    <message>
        <source>Largest PDF (MB)</source>
        <translation>Größte PDF-Datei (MB)</translation>
    </message>
    <message>
        <source>Larger PDF files are left out, in MB.</source>
        <translation>Größere PDF-Dateien werden ausgelassen, in MB.</translation>
    </message>
    <message>
        <source>Largest text file (MB)</source>
        <translation>Größte Textdatei (MB)</translation>
    </message>
    <message>
        <source>Larger text files are left out, in MB.</source>
        <translation>Größere Textdateien werden ausgelassen, in MB.</translation>
    </message>
    <message>
        <source>Largest web page (MB)</source>
        <translation>Größte Webseite (MB)</translation>
    </message>
    <message>
        <source>Larger Markdown and HTML files are left out, in MB.</source>
        <translation>Größere Markdown- und HTML-Dateien werden ausgelassen, in MB.</translation>
    </message>
    <message>
        <source>Folder of the library</source>
        <translation>Ordner der Bibliothek</translation>
    </message>
    <message>
        <source>Folder of the library; empty: a folder in your user data.</source>
        <translation>Ordner der Bibliothek; leer: ein Ordner in Ihren Benutzerdaten.</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Offline</translation>
    </message>
    <message>
        <source>Never use the network, not even for a model that is missing.</source>
        <translation>Nie das Netz benutzen, auch nicht für ein fehlendes Modell.</translation>
    </message>
    <message>
        <source>Lock after (minutes)</source>
        <translation>Sperren nach (Minuten)</translation>
    </message>
    <message>
        <source>Minutes without use after which an encrypted library is locked; 0: never.</source>
        <translation>Minuten ohne Benutzung, nach denen eine verschlüsselte Bibliothek gesperrt wird; 0: nie.</translation>
    </message>
    <message>
        <source>For assistants</source>
        <translation>Für Assistenten</translation>
    </message>
    <message>
        <source>Collections that assistants may search by lectern mcp; *: the whole library; empty: none.</source>
        <translation>Sammlungen, die Assistenten mit „lectern mcp“ durchsuchen dürfen; *: die ganze Bibliothek; leer: keine.</translation>
    </message>
    <message>
        <source>For scripts and browsers</source>
        <translation>Für Skripte und Browser</translation>
    </message>
    <message>
        <source>Collections that programs on this machine may search by lectern serve; *: the whole library; empty: none.</source>
        <translation>Sammlungen, die Programme auf diesem Rechner mit „lectern serve“ durchsuchen dürfen; *: die ganze Bibliothek; leer: keine.</translation>
    </message>
    <message>
        <source>For the desktop&apos;s search</source>
        <translation>Für die Desktopsuche</translation>
    </message>
    <message>
        <source>Collections that the search of KDE or GNOME may show; *: the whole library; empty: none.</source>
        <translation>Sammlungen, die die Suche von KDE oder GNOME zeigen darf; *: die ganze Bibliothek; leer: keine.</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Keep a log, on this machine, of what other programs asked.</source>
        <translation>Auf diesem Rechner ein Protokoll darüber führen, was andere Programme gefragt haben.</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Sprachmodell</translation>
    </message>
    <message>
        <source>Embedding model, by name; auto: the one for the languages of the library. lectern-e5-late also finds documents in English by questions in other languages.</source>
        <translation>Einbettungsmodell, nach Namen; auto: das für die Sprachen der Bibliothek. lectern-e5-late findet englische Dokumente auch durch Fragen in anderen Sprachen.</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Where the model runs.</source>
        <translation>Worauf das Modell rechnet.</translation>
    </message>
    <message>
        <source>Precision of documents</source>
        <translation>Genauigkeit bei Dokumenten</translation>
    </message>
    <message>
        <source>Weights used for documents: int8 is mostly twice as fast, fp32 exact, fp16 for graphics cards; auto: a new library has what is fastest here, and keeps it.</source>
        <translation>Gewichte für Dokumente: int8 ist meist doppelt so schnell, fp32 genau, fp16 für Grafikkarten; auto: Eine neue Bibliothek bekommt, was hier am schnellsten ist, und behält es.</translation>
    </message>
    <message>
        <source>By the library and the processor</source>
        <translation>Nach Bibliothek und Prozessor</translation>
    </message>
    <message>
        <source>Precision of queries</source>
        <translation>Genauigkeit bei Anfragen</translation>
    </message>
    <message>
        <source>Weights used for queries.</source>
        <translation>Gewichte für Anfragen.</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Threads of the model while indexing; 0: one for each core.</source>
        <translation>Threads des Modells beim Einlesen; 0: einer je Kern.</translation>
    </message>
    <message>
        <source>Documents at a time</source>
        <translation>Dokumente zugleich</translation>
    </message>
    <message>
        <source>Documents read at the same time; 0: half as many as cores, or two.</source>
        <translation>Gleichzeitig gelesene Dokumente; 0: halb so viele wie Kerne, oder zwei.</translation>
    </message>
    <message>
        <source>Time without progress (s)</source>
        <translation>Zeit ohne Fortschritt (s)</translation>
    </message>
    <message>
        <source>Seconds without progress after which a document is given up; longer while other programs leave it no processor.</source>
        <translation>Ein Dokument ohne Fortschritt wird nach so vielen Sekunden aufgegeben; später, solange andere Programme ihm keinen Prozessor lassen.</translation>
    </message>
    <message>
        <source>Memory for a document (MB)</source>
        <translation>Speicher je Dokument (MB)</translation>
    </message>
    <message>
        <source>Memory that reading one document may take, in MB.</source>
        <translation>Speicher, den das Lesen eines Dokuments brauchen darf, in MB.</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>Datenschutz</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Headings</source>
        <translation>Überschriften</translation>
    </message>
    <message>
        <source>Show the headings of a document beside its pages.</source>
        <translation>Die Überschriften eines Dokuments neben seinen Seiten zeigen.</translation>
    </message>
    <message>
        <source>What opens a document at its page: the system&apos;s viewer, or a command such as okular --page {page} {path}.</source>
        <translation>Womit ein Dokument an seiner Seite geöffnet wird: mit dem Programm des Systems oder einem Befehl wie okular --page {page} {path}.</translation>
    </message>
    <message>
        <source>Recognise the text on scanned pages.</source>
        <translation>Den Text auf gescannten Seiten erkennen.</translation>
    </message>
    <message>
        <source>Languages of scanned pages</source>
        <translation>Sprachen gescannter Seiten</translation>
    </message>
    <message>
        <source>The best available</source>
        <translation>Das beste vorhandene</translation>
    </message>
    <message>
        <source>Its drive or folder is not available. What was read of it can still be found.</source>
        <translation>Laufwerk oder Ordner sind nicht da. Was schon gelesen wurde, wird weiter gefunden.</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Reading it went wrong.</source>
        <translation>Das Lesen ging schief.</translation>
    </message>
    <message>
        <source>Changing to the language model {model}: {share} done.</source>
        <translation>Wechsel zum Sprachmodell {model}: {share} geschafft.</translation>
    </message>
    <message>
        <source>Rebuilding after an update: {share} done.</source>
        <translation>Wird nach einer Aktualisierung neu aufgebaut: {share} geschafft.</translation>
    </message>
    <message>
        <source>what you look for, in your own words</source>
        <translation>was Sie suchen, in eigenen Worten</translation>
    </message>
    <message>
        <source>these words, exactly and in this order; first</source>
        <translation>genau diese Wörter in dieser Folge; steht zuoberst</translation>
    </message>
    <message>
        <source>not passages with this word</source>
        <translation>keine Stellen mit diesem Wort</translation>
    </message>
    <message>
        <source>not passages with this phrase</source>
        <translation>keine Stellen mit diesem Wortlaut</translation>
    </message>
    <message>
        <source>files in this folder; -in: leaves them out</source>
        <translation>Dateien in diesem Ordner; -in: lässt sie aus</translation>
    </message>
    <message>
        <source>files with this extension</source>
        <translation>Dateien mit dieser Endung</translation>
    </message>
    <message>
        <source>files of a kind ({kinds})</source>
        <translation>Dateien einer Art ({kinds})</translation>
    </message>
    <message>
        <source>files dated in this range</source>
        <translation>Dateien aus diesem Zeitraum</translation>
    </message>
    <message>
        <source>files of this date or later</source>
        <translation>Dateien von diesem Tag an</translation>
    </message>
    <message>
        <source>files of an earlier date</source>
        <translation>Dateien vor diesem Tag</translation>
    </message>
    <message>
        <source>larger files; &lt; for smaller ones</source>
        <translation>größere Dateien; &lt; für kleinere</translation>
    </message>
    <message>
        <source>documents with this in their title</source>
        <translation>Dokumente, in deren Titel dies steht</translation>
    </message>
    <message>
        <source>documents by this author</source>
        <translation>Dokumente dieses Autors</translation>
    </message>
    <message>
        <source>documents in this language</source>
        <translation>Dokumente in dieser Sprache</translation>
    </message>
    <message>
        <source>comments and highlights that readers left in documents</source>
        <translation>Kommentare und Markierungen, die Leser in Dokumenten hinterlassen haben</translation>
    </message>
    <message>
        <source>passages on these pages; 5, 5..10 and iv work too</source>
        <translation>Stellen auf diesen Seiten; auch 5, 5..10 und iv gehen</translation>
    </message>
    <message>
        <source>documents that resemble this one</source>
        <translation>Dokumente, die diesem ähneln</translation>
    </message>
    <message>
        <source>Page {n}</source>
        <translation>Seite {n}</translation>
    </message>
    <message>
        <source>Slide {n}</source>
        <translation>Folie {n}</translation>
    </message>
    <message>
        <source>Sheet {n}</source>
        <translation>Blatt {n}</translation>
    </message>
    <message>
        <source>Message {n}</source>
        <translation>Nachricht {n}</translation>
    </message>
    <message>
        <source>Cell {n}</source>
        <translation>Zelle {n}</translation>
    </message>
    <message>
        <source>{reason}. {progress}.</source>
        <translation>{reason}. {progress}.</translation>
    </message>
    <message>
        <source>{progress} {reason}.</source>
        <translation>{progress} {reason}.</translation>
    </message>
    <message>
        <source>Meaning search {share} ready</source>
        <translation>Sinnsuche zu {share} bereit</translation>
    </message>
    <message>
        <source>Up to date</source>
        <translation>Auf dem neuesten Stand</translation>
    </message>
    <message>
        <source>No documents yet</source>
        <translation>Noch keine Dokumente</translation>
    </message>
    <message>
        <source>{progress}, {time} left.</source>
        <translation>{progress}, noch {time}.</translation>
    </message>
    <message>
        <source>Yellow</source>
        <translation>Gelb</translation>
    </message>
    <message>
        <source>Green</source>
        <translation>Grün</translation>
    </message>
    <message>
        <source>Blue</source>
        <translation>Blau</translation>
    </message>
    <message>
        <source>Pink</source>
        <translation>Rosa</translation>
    </message>
</context>
<context>
    <name>WorkLine</name>
    <message>
        <source>Share of the text that can be found by meaning</source>
        <translation>Anteil des Textes, der über den Sinn zu finden ist</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>&amp;Go on</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>Go on reading</source>
        <translation>Weiterlesen</translation>
    </message>
    <message>
        <source>Pause reading</source>
        <translation>Einlesen anhalten</translation>
    </message>
    <message>
        <source>The engine is starting…</source>
        <translation>Die Suchmaschine startet …</translation>
    </message>
    <message>
        <source>{pages} pages a second</source>
        <translation>{pages} Seiten je Sekunde</translation>
    </message>
</context>
</TS>
