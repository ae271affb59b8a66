; The installer for Windows: for one person, without an administrator. package.sh calls makensis and names
;   VERSION   what it installs, as 1.2.3
;   FILES     the folder with commitmark.exe and what lies beside it
;   ASSETS    the folder of the icon
;   OUTPUT    the installer
;
; Without questions:   commitmark-setup.exe /S [/D=C:\folder]
;                      uninstall.exe /S [/RESULTS=delete]       results stay unless that is said
Target amd64-unicode
!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh

!define NAME "CommitMark"
!define CLASSES "Software\Classes"
!define RESULT_CLASS "CommitMark.Result"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\${NAME}"
!define APP_PATH "Software\Microsoft\Windows\CurrentVersion\App Paths\commitmark.exe"

Name "${NAME}"
BrandingText "${NAME} ${VERSION}"
OutFile "${OUTPUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
ManifestDPIAware true
ShowInstDetails nevershow
ShowUninstDetails nevershow

VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "${NAME}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey FileDescription "Installs ${NAME}"
VIAddVersionKey CompanyName "The CommitMark developers"
VIAddVersionKey LegalCopyright "The CommitMark developers. MIT or Apache 2.0"

!define MUI_ICON "${ASSETS}\icon.ico"
!define MUI_UNICON "${ASSETS}\icon.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\commitmark.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!define MUI_COMPONENTSPAGE_NODESC
!define MUI_PAGE_HEADER_TEXT "Remove ${NAME}"
!define MUI_PAGE_HEADER_SUBTEXT "Your results stay on this computer unless you choose otherwise."
!insertmacro MUI_UNPAGE_COMPONENTS
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Section
  SetOutPath "$INSTDIR"
  File "${FILES}\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\commitmark.exe"

  ; An entry in "Open with" for JSON. Which program a double-click starts stays as it is.
  WriteRegStr HKCU "${CLASSES}\Applications\commitmark.exe" "FriendlyAppName" "${NAME}"
  WriteRegStr HKCU "${CLASSES}\Applications\commitmark.exe\shell\open\command" "" '"$INSTDIR\commitmark.exe" "%1"'
  WriteRegStr HKCU "${CLASSES}\Applications\commitmark.exe\SupportedTypes" ".json" ""
  WriteRegStr HKCU "${CLASSES}\${RESULT_CLASS}" "" "CommitMark result"
  WriteRegStr HKCU "${CLASSES}\${RESULT_CLASS}\DefaultIcon" "" "$INSTDIR\commitmark.exe,0"
  WriteRegStr HKCU "${CLASSES}\${RESULT_CLASS}\shell\open\command" "" '"$INSTDIR\commitmark.exe" "%1"'
  WriteRegStr HKCU "${CLASSES}\.json\OpenWithProgids" "${RESULT_CLASS}" ""
  WriteRegStr HKCU "${APP_PATH}" "" "$INSTDIR\commitmark.exe"

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\commitmark.exe,0"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The CommitMark developers"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${RefreshShellIcons}
SectionEnd

Section "un.${NAME}"
  SectionIn RO
  ; While it runs, Windows keeps the program; then everything stays as it is.
  ClearErrors
  Delete "$INSTDIR\commitmark.exe"
  ${If} ${Errors}
    SetErrorLevel 1
    Abort "${NAME} is still open. Close its window, then remove it again."
  ${EndIf}
  Delete "$INSTDIR\README.txt"
  Delete "$INSTDIR\CHANGELOG.txt"
  Delete "$INSTDIR\LICENSE-MIT.txt"
  Delete "$INSTDIR\LICENSE-APACHE.txt"
  Delete "$INSTDIR\LICENSE-Inter.txt"
  Delete "$INSTDIR\LICENSES-OTHERS.txt"
  Delete "$INSTDIR\uninstall.exe"
  ; Never with /r: the folder may have been chosen by hand and hold other things.
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${NAME}.lnk"
  DeleteRegKey HKCU "${CLASSES}\Applications\commitmark.exe"
  DeleteRegKey HKCU "${CLASSES}\${RESULT_CLASS}"
  DeleteRegValue HKCU "${CLASSES}\.json\OpenWithProgids" "${RESULT_CLASS}"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.json\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.json"
  DeleteRegKey HKCU "${APP_PATH}"
  DeleteRegKey HKCU "${UNINSTALL}"
  ${RefreshShellIcons}
SectionEnd

; /o: not chosen at first.
Section /o "un.All results and the log" Results
  RMDir /r "$LOCALAPPDATA\${NAME}\data"
  RMDir "$LOCALAPPDATA\${NAME}"
SectionEnd

Function un.onInit
  ${GetParameters} $0
  ${GetOptions} $0 "/RESULTS=" $1
  ${If} $1 == "delete"
    !insertmacro SelectSection ${Results}
  ${EndIf}
FunctionEnd
