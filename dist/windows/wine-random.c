/* The one function of bcryptprimitives.dll that Rust's standard library calls, for Wine 8, which has no such file. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG bytes);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T bytes)
{
    return SystemFunction036(buffer, (ULONG)bytes);
}
