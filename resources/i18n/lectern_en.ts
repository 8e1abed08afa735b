<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Amounts</name>
    <message numerus="yes">
        <source>%Ln file(s)</source>
        <translation>
            <numerusform>%Ln file</numerusform>
            <numerusform>%Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln empty file(s)</source>
        <translation>
            <numerusform>%Ln empty file</numerusform>
            <numerusform>%Ln empty files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln document</numerusform>
            <numerusform>%Ln documents</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page(s)</source>
        <translation>
            <numerusform>%Ln page</numerusform>
            <numerusform>%Ln pages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage(s)</source>
        <translation>
            <numerusform>%Ln passage</numerusform>
            <numerusform>%Ln passages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln new passage(s)</source>
        <translation>
            <numerusform>%Ln new passage</numerusform>
            <numerusform>%Ln new passages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln with the phrase</source>
        <translation>
            <numerusform>%Ln with the phrase</numerusform>
            <numerusform>%Ln with the phrase</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more in this document</source>
        <translation>
            <numerusform>%Ln more in this document</numerusform>
            <numerusform>%Ln more in this document</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more passage(s), further off</source>
        <translation>
            <numerusform>%Ln more passage, further off</numerusform>
            <numerusform>%Ln more passages, further off</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more, nearly the same</source>
        <translation>
            <numerusform>%Ln more, nearly the same</numerusform>
            <numerusform>%Ln more, nearly the same</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) waiting to be read</source>
        <translation>
            <numerusform>%Ln file waiting to be read</numerusform>
            <numerusform>%Ln files waiting to be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln could not be read</source>
        <translation>
            <numerusform>%Ln could not be read</numerusform>
            <numerusform>%Ln could not be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) will be read again.</source>
        <translation>
            <numerusform>%Ln file will be read again.</numerusform>
            <numerusform>%Ln files will be read again.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln language(s)</source>
        <translation>
            <numerusform>%Ln language</numerusform>
            <numerusform>%Ln languages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln minute(s)</source>
        <translation>
            <numerusform>about %Ln minute</numerusform>
            <numerusform>about %Ln minutes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln hour(s)</source>
        <translation>
            <numerusform>about %Ln hour</numerusform>
            <numerusform>about %Ln hours</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about %Ln day(s)</source>
        <translation>
            <numerusform>about %Ln day</numerusform>
            <numerusform>about %Ln days</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AttentionList</name>
    <message numerus="yes">
        <source>%Ln file(s) need a password</source>
        <translation>
            <numerusform>%Ln file needs a password</numerusform>
            <numerusform>%Ln files need a password</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) stopped the engine and were set aside</source>
        <translation>
            <numerusform>%Ln file stopped the engine and was set aside</numerusform>
            <numerusform>%Ln files stopped the engine and were set aside</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) could not be read</source>
        <translation>
            <numerusform>%Ln file could not be read</numerusform>
            <numerusform>%Ln files could not be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln folder(s) offline: the drive is not connected</source>
        <translation>
            <numerusform>%Ln folder is offline: its drive is not connected</numerusform>
            <numerusform>%Ln folders are offline: their drives are not connected</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) in {languages} are found by words only</source>
        <translation>
            <numerusform>%Ln document in {languages} is found by words only</numerusform>
            <numerusform>%Ln documents in {languages} are found by words only</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>BasketExport</name>
    <message numerus="yes">
        <source>%Ln passage(s) exported</source>
        <translation>
            <numerusform>%Ln passage exported</numerusform>
            <numerusform>%Ln passages exported</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln no longer in the library</source>
        <translation>
            <numerusform>%Ln no longer in the library</numerusform>
            <numerusform>%Ln no longer in the library</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EstimateCard</name>
    <message numerus="yes">
        <source>%Ln folders or files</source>
        <translation>
            <numerusform>%Ln folders or files</numerusform>
            <numerusform>%Ln folders or files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FileActions</name>
    <message numerus="yes">
        <source>%Ln path(s) copied.</source>
        <translation>
            <numerusform>%Ln path copied.</numerusform>
            <numerusform>%Ln paths copied.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) left out.</source>
        <translation>
            <numerusform>%Ln file left out.</numerusform>
            <numerusform>%Ln files left out.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FileDetails</name>
    <message numerus="yes">
        <source>%Ln file(s) chosen, {size}</source>
        <translation>
            <numerusform>%Ln file chosen, {size}</numerusform>
            <numerusform>%Ln files chosen, {size}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Highlighter</name>
    <message numerus="yes">
        <source>%Ln highlight(s) written into the copy</source>
        <translation>
            <numerusform>%Ln highlight written into the copy</numerusform>
            <numerusform>%Ln highlights written into the copy</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HitExporter</name>
    <message numerus="yes">
        <source>%Ln document(s) exported</source>
        <translation>
            <numerusform>%Ln document exported</numerusform>
            <numerusform>%Ln documents exported</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln without author and year left out</source>
        <translation>
            <numerusform>%Ln without author and year left out</numerusform>
            <numerusform>%Ln without author and year left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hit(s) exported</source>
        <translation>
            <numerusform>%Ln hit exported</numerusform>
            <numerusform>%Ln hits exported</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Printing</name>
    <message numerus="yes">
        <source>%Ln page(s) printed</source>
        <translation>
            <numerusform>%Ln page printed</numerusform>
            <numerusform>%Ln pages printed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message numerus="yes">
        <source>Restart to apply %Ln change(s)</source>
        <translation>
            <numerusform>Restart to apply %Ln change</numerusform>
            <numerusform>Restart to apply %Ln changes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Unsearched</name>
    <message numerus="yes">
        <source>%Ln waiting to be read</source>
        <translation>
            <numerusform>%Ln waiting to be read</numerusform>
            <numerusform>%Ln waiting to be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln locked</source>
        <translation>
            <numerusform>%Ln locked</numerusform>
            <numerusform>%Ln locked</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln without text</source>
        <translation>
            <numerusform>%Ln without text</numerusform>
            <numerusform>%Ln without text</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WindowAlerts</name>
    <message numerus="yes">
        <source>%Ln document(s) stopped the engine more than once and were set aside.</source>
        <translation>
            <numerusform>%Ln document stopped the engine more than once and was set aside.</numerusform>
            <numerusform>%Ln documents stopped the engine more than once and were set aside.</numerusform>
        </translation>
    </message>
</context>
</TS>
